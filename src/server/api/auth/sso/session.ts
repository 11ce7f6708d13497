/**
 * Session of a person signed in at an identity provider: the same as after a password login, with the same second factor
 * (docs/interface/sso.md#result). Not reachable by a direct API call.
 */
import { mfaMethods, type MfaMethod } from '../../../../store/model/mfa.js'
import type { CallRecorder } from '../../../audit/auditEntry.js'
import { trailOf } from '../../../dispatch/call.js'
import type { Origin, Result } from '../../../call/method.js'
import { secondStep } from '../../mfa/login.js'
import type { Context } from '../../../call/context.js'
import { loginAnswer } from '../answer.js'
import { BY_THIRD_PARTY, type LinkedAccount } from './accountLinking.js'
import type { MfaDeps } from '../../mfa/sessions.js'

/** A session of an account, or the data for its second factor. */
export type SignInResult = { username: string; token: string } | { username: string; mfaToken: string; mfaMethod: MfaMethod }

/** Opens the session of `appId` and links the account after successful sign-in. @throws Failure as a login does */
export async function entered(node: Context & MfaDeps, origin: Origin, { loaded, link }: LinkedAccount, appId: string): Promise<SignInResult> {
  const { account, user } = loaded
  const { username } = user
  const complete = async (trail: CallRecorder | undefined): Promise<Result & { token: string }> => {
    await link?.()
    return loginAnswer(node, account, user, appId, trail)
  }
  const call = { node, origin, account, user }
  const trail = trailOf(call, 'auth.login', BY_THIRD_PARTY)
  const second = await secondStep(call, complete)
  const answer = second ?? (await complete(trail))
  trail?.succeeded()
  if (second === undefined) return { username, token: String(answer['token']) }
  const mfaMethod = mfaMethods.find((method) => method === second['mfaMethod']) ?? 'totp'
  return { username, mfaToken: String(second['mfaToken']), mfaMethod }
}
