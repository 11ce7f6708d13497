/** Result passed to the page to which a person returns from an identity provider (docs/interface/sso.md#result). */
import { findAccessByToken } from '../../../../store/accesses/accesses.js'
import { accessIdOf } from '../../../../store/model/access.js'
import { Failure } from '../../../../store/model/failure.js'
import { apiEndpoint } from '../../../config/apiEndpoint.js'
import type { LoadedAccount } from '../../../call/accountCache.js'
import type { Context } from '../../../call/context.js'
import { createSecret } from '../../sharedSecrets/createSecret.js'
import type { Refusal } from './accountLinking.js'
import type { SignInResult } from './session.js'

/** Seconds within which the page must fetch the result. */
const HAND_OVER_TTL = 120

/** Returns the fragment parameters for a page of another origin, whose scripts fetch the session by a one-time key. */
export async function fragmentOf(node: Context, loaded: LoadedAccount, signIn: SignInResult): Promise<Record<string, string>> {
  const { username } = signIn
  if ('token' in signIn) return { ssoStatus: 'login', ssoUser: username, ssoKey: await keyTo(node, loaded, signIn) }
  return { ssoStatus: 'mfa', ssoUser: username, ssoMfaToken: signIn.mfaToken, ssoMfaMethod: signIn.mfaMethod }
}

/** Creates a shared secret that holds a session, and returns its key. */
async function keyTo(node: Context, { account }: LoadedAccount, { username, token }: { username: string; token: string }): Promise<string> {
  const input = {
    ttl: Math.min(HAND_OVER_TTL, node.config.get('sharedSecrets.maxTtl')),
    title: 'Sign-in with an identity provider',
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

/** Result for the node's own page. */
export interface RedirectResult {
  came: SignInResult | Refusal
  /** Value passed by the page that started the sign-in. */
  mark?: string | undefined
}

const PLACE = 'what came of a third party'

/** Seals the result as a parameter that only the node can read or create. */
export function sealRedirectResult({ store, clock }: Pick<Context, 'store' | 'clock'>, result: RedirectResult): string {
  return store.seal.seal(JSON.stringify({ ...result, until: clock.now() + HAND_OVER_TTL }), PLACE)
}

/** Opens a sealed result; undefined when it is invalid or expired. */
export function readRedirectResult({ store, clock }: Pick<Context, 'store' | 'clock'>, sealed: string): RedirectResult | undefined {
  try {
    const { until, ...result } = JSON.parse(store.seal.open(sealed, PLACE)) as RedirectResult & { until: number }
    return until > clock.now() ? result : undefined
  } catch {
    return undefined
  }
}
