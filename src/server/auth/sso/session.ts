/**
 * The session of somebody who signed in through a third party: the same as that of a password, with the same second
 * factor, handed over by a secret that is good once (accounts supplement 14). No call of the interface leads here.
 */
import { findAccessByToken } from '../../../store/accesses.js'
import { accessIdOf } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../apiEndpoint.js'
import type { Trail } from '../../audit/trail.js'
import { trailOf } from '../../call.js'
import type { OpenCall, Origin, Result } from '../../method.js'
import { secondStep } from '../../mfa/login.js'
import type { LoadedAccount, Node } from '../../node.js'
import { makeSecret } from '../../sharedSecrets/make.js'
import { loginAnswer } from '../answer.js'

/** Seconds within which the page takes the session. */
const HAND_OVER_TTL = 120

/** What the page is told: a key for `sharedSecrets.retrieve`, or what a second factor needs. */
export type SignedIn = { ssoStatus: 'login'; ssoUser: string; ssoKey: string } | { ssoStatus: 'mfa'; ssoUser: string; ssoMfaToken: string; ssoMfaMethod: string }

/** Opens the session of `appId`. Throws Failure as a login does. */
export async function signedIn(node: Node, origin: Origin, { account, user }: LoadedAccount, appId: string): Promise<SignedIn> {
  const call = { node, origin, account, user }
  const { username: ssoUser } = user
  const complete = (trail: Trail | undefined): Promise<Result> => loginAnswer(node, account, user, appId, trail)
  const second = await secondStep(call, complete)
  if (second !== undefined) return { ssoStatus: 'mfa', ssoUser, ssoMfaToken: String(second['mfaToken']), ssoMfaMethod: String(second['mfaMethod']) }
  const trail = trailOf(call, 'auth.login', 'valid-sso')
  const { token } = await loginAnswer(node, account, user, appId, trail)
  trail?.succeeded()
  return { ssoStatus: 'login', ssoUser, ssoKey: await keyTo(call, token) }
}

/** The key of a new secret that holds a session. */
async function keyTo({ node, account, user: { username } }: OpenCall, token: string): Promise<string> {
  const asked = {
    ttl: Math.min(HAND_OVER_TTL, node.config.get('sharedSecrets.maxTtl')),
    title: 'Signing in through a third party',
    onConsumed: { message: 'This sign-in has been used. Sign in again.' },
    secret: { username, token, apiEndpoint: apiEndpoint(node, username, token) },
  }
  const { key } = await account.write((t) => {
    const found = findAccessByToken(t, node.store.seal, t.account, token)
    if (found === undefined) throw new Failure('invalid-access-token')
    return makeSecret(node, t, { accessId: found.access.id, author: accessIdOf(found.access) }, asked)
  })
  return key ?? ''
}
