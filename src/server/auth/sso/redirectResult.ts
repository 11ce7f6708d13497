/** What a page is told that somebody comes back to from a third party (accounts supplement 14). */
import { findAccessByToken } from '../../../store/accesses/accesses.js'
import { accessIdOf } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../apiEndpoint.js'
import type { LoadedAccount, Node } from '../../node.js'
import { createSecret } from '../../sharedSecrets/createSecret.js'
import type { Refusal } from './accountLinking.js'
import type { Entered } from './session.js'

/** Seconds within which a page takes what it is told. */
const HAND_OVER_TTL = 120

/** The parameters of the fragment of a page of another origin: its scripts take the session by a key that is good once. */
export async function fragmentOf(node: Node, loaded: LoadedAccount, came: Entered): Promise<Record<string, string>> {
  const { username } = came
  if ('token' in came) return { ssoStatus: 'login', ssoUser: username, ssoKey: await keyTo(node, loaded, came) }
  return { ssoStatus: 'mfa', ssoUser: username, ssoMfaToken: came.mfaToken, ssoMfaMethod: came.mfaMethod }
}

/** The key of a new secret that holds a session. */
async function keyTo(node: Node, { account }: LoadedAccount, { username, token }: { username: string; token: string }): Promise<string> {
  const input = {
    ttl: Math.min(HAND_OVER_TTL, node.config.get('sharedSecrets.maxTtl')),
    title: 'Signing in through a third party',
    onConsumed: { message: 'This sign-in has been used. Sign in again.' },
    secret: { username, token, apiEndpoint: apiEndpoint(node, username, token) },
  }
  const { key } = await account.write((t) => {
    const found = findAccessByToken(t, node.store.seal, t.account, token)
    if (found === undefined) throw new Failure('invalid-access-token')
    return createSecret(node, t, { accessId: found.access.id, author: accessIdOf(found.access) }, input)
  })
  return key ?? ''
}

/** What the node's own page is told. */
export interface RedirectResult {
  came: Entered | Refusal
  /** The mark with which it was begun. */
  mark?: string | undefined
}

const PLACE = 'what came of a third party'

/** The same as a parameter that nobody else can read or make. */
export function sealRedirectResult({ store, clock }: Pick<Node, 'store' | 'clock'>, described: RedirectResult): string {
  return store.seal.seal(JSON.stringify({ ...described, until: clock.now() + HAND_OVER_TTL }), PLACE)
}

/** The same, read; undefined for what is none, or is over. */
export function readRedirectResult({ store, clock }: Pick<Node, 'store' | 'clock'>, sealed: string): RedirectResult | undefined {
  try {
    const { until, ...described } = JSON.parse(store.seal.open(sealed, PLACE)) as RedirectResult & { until: number }
    return until > clock.now() ? described : undefined
  } catch {
    return undefined
  }
}
