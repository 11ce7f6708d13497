/**
 * Verification of codes. Every attempt is counted before the check, by account and by session (docs/interface/mfa.md#attempts).
 */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { openTotpSecret, putEnrolment, putFailureCounter, readEnrolment } from '../../../store/accounts/credentials.js'
import { countAttempt } from '../../auth/attempts.js'
import type { OpenCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { codeBackoff } from './offer.js'
import { noMfaSession, wrongCode } from './refusals.js'
import type { PendingSession, MfaDeps } from './sessions.js'
import { stepOfCode } from './totp.js'

/** Body of a call with a code; other members are ignored. */
export const WithCode = z.looseObject({ code: z.string().trim().regex(/^[0-9]{4,10}$/).describe('Code of the second factor.') })

/**
 * Checks a code for a session; `check` returns undefined for a wrong one. The last permitted wrong code ends the session. The
 * caller clears the account's count in the transaction that applies the correct code.
 * @throws Failure `too-many-attempts`, `invalid-parameters-format` for a wrong code, `forbidden` when the session has ended
 */
export async function tryCode<T>(
  { node, account }: OpenCall<MfaDeps>,
  session: PendingSession,
  check: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  await countAttempt(node, account, 'mfa', codeBackoff(node.config))
  const max = node.config.get('services.mfa.attempts.perSession')
  const isLive = node.mfaSessions.find(session.token, account.prefix) === session
  if (!isLive || session.attempts >= max) throw noMfaSession()
  session.attempts += 1
  const found = await check()
  if (found !== undefined) return found
  if (session.attempts < max) throw wrongCode()
  node.mfaSessions.end(session)
  throw noMfaSession()
}

/**
 * Consumes a code of the account's authenticator app in one conditional write, so that only one of several simultaneous callers
 * succeeds. Clears the count of wrong codes. Returns false for a wrong or used code, and when the factor is no longer
 * `enrolment`. The caller has counted the attempt.
 */
export function consumeAppCode(node: Context, account: Account, enrolment: string, code: string): Promise<boolean> {
  const { seal } = node.store
  return account.write((t) => {
    const known = readEnrolment(t, t.account)
    if (known?.totp === undefined || known.id !== enrolment) return false
    const { totp } = known
    const step = stepOfCode({ ...totp, secret: openTotpSecret(seal, t.account, totp.secret) }, code, {
      now: node.clock.now(),
      driftSteps: node.config.get('services.mfa.methods.totp.driftSteps'),
      lastUsedStep: totp.lastUsedStep,
    })
    if (step === undefined) return false
    putEnrolment(t, { ...known, totp: { ...totp, lastUsedStep: step } })
    putFailureCounter(t, 'mfa', undefined)
    return true
  })
}
