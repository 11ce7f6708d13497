/** Trying a code: every attempt is counted before it is checked, by account and by session (accounts supplement 5.10). */
import * as z from 'zod'
import type { Account } from '../../store/engine/account.js'
import { putFailureCounter } from '../../store/accounts/rateLimitCounters.js'
import { openTotpSecret, putEnrolment, readEnrolment } from '../../store/accounts/mfa.js'
import { countAttempt } from '../guard/attempts.js'
import type { OpenCall } from '../method.js'
import type { Node } from '../node.js'
import { codeBackoff } from './offer.js'
import { noMfaSession, wrongCode } from './refusals.js'
import type { PendingSession } from './sessions.js'
import { stepOfCode } from './totp.js'

/** The body of a call that brings a code; what else it holds does not matter. */
export const WithCode = z.looseObject({ code: z.string().trim().regex(/^[0-9]{4,10}$/).describe('Code of the second factor.') })

/**
 * Checks a code for a session; `check` answers undefined for a wrong one. The last wrong one that a session stands ends
 * it. The caller clears the count of the account with what the right code changes.
 * @throws Failure `too-many-attempts`, `invalid-parameters-format` for a wrong code, `forbidden` when the session has ended
 */
export async function tryCode<T>(
  { node, account }: OpenCall,
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
 * Takes a code of the account's authenticator app: by one conditional write, so that of all who bring a code exactly one
 * has it taken. Clears the count of wrong ones. False for a wrong or used code, and when the factor is not `enrolment`
 * any more. The caller has counted the attempt.
 */
export function takeAppCode(node: Node, account: Account, enrolment: string, code: string): Promise<boolean> {
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
