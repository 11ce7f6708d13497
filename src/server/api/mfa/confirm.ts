import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Transaction } from '../../../store/engine/account.js'
import { putEnrolment, putFailureCounter, readEnrolment, sealTotpSecret } from '../../../store/accounts/credentials.js'
import type { Enrolment } from '../../../store/model/mfa.js'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { documented } from '../../base/documented.js'
import { secretDigest } from '../../base/secretDigest.js'
import { mfaToken } from '../../call/callers.js'
import { openMethod, type OpenCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { tryCode, WithCode } from './attempt.js'
import { notifyOwner } from './notice.js'
import { enrolmentOf } from './pending.js'
import { noMfaSession } from './refusals.js'
import type { PendingEnrolment, MfaDeps } from './sessions.js'
import { isSentCode } from './sms.js'
import { stepOfCode } from './totp.js'
import type { MailDeps } from '../../mail/mailer.js'

const RECOVERY_CODES = 10

/** The method mfa.confirm (docs/interface/mfa.md#setup). */
export const confirm = openMethod({
  id: 'mfa.confirm',
  summary: 'Confirms a new second factor with its first code; returns the recovery codes.',
  http: { verb: 'POST', path: '/mfa/confirm' },
  caller: mfaToken,
  input: documented(WithCode),
  output: () => z.object({ recoveryCodes: z.array(z.string()).describe('Ten recovery codes, each valid once; shown only here.') }),
  notInBatch: true,
  auditedAs: 'mfa-token',
  fails: ['forbidden', 'invalid-parameters-format', 'invalid-operation', 'too-many-attempts', 'unavailable-method'],
  async run(call: OpenCall<MfaDeps & MailDeps>, body) {
    const { node, account, trail } = call
    const session = enrolmentOf(call)
    const { code } = parseInput(WithCode, body)
    const proof = await tryCode(call, session, () => proofOf(node, session, code))
    if (!node.mfaSessions.end(session)) throw noMfaSession()
    const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => randomUUID())
    await account.write((t) => {
      if (readEnrolment(t, t.account)?.id !== session.replaces) {
        throw new Failure('invalid-operation', 'Another second factor was confirmed in the meantime.')
      }
      putEnrolment(t, confirmed(node, t, session, proof, recoveryCodes))
      putFailureCounter(t, 'mfa', undefined)
      trail?.stage(t)
    })
    notifyOwner(call, session.replaces === undefined ? 'enrolled' : 'replaced')
    return { recoveryCodes }
  },
})

/** Evidence of a correct code; for an app, the time step that it consumes. */
type Proof = { step?: number }

async function proofOf(node: Context, session: PendingEnrolment, code: string): Promise<Proof | undefined> {
  const { totp, content } = session
  if (totp === undefined) return (await isSentCode(node, session, content, code)) ? {} : undefined
  const step = stepOfCode({ ...totp, secret: totp.secret.reveal() }, code, {
    now: node.clock.now(),
    driftSteps: node.config.get('services.mfa.methods.totp.driftSteps'),
    lastUsedStep: -1,
  })
  return step === undefined ? undefined : { step }
}

function confirmed(
  node: Context,
  t: Transaction,
  { method, content, totp }: PendingEnrolment,
  { step }: Proof,
  codes: readonly string[],
): Enrolment {
  const recoveryCodes = codes.map(secretDigest)
  const enrolment: Enrolment = { id: node.newId(), method, content, recoveryCodes }
  if (totp === undefined || step === undefined) return enrolment
  const { digits, periodSeconds } = totp
  enrolment.totp = {
    secret: sealTotpSecret(node.store.seal, t.account, totp.secret.reveal()),
    algorithm: 'sha1',
    digits,
    periodSeconds,
    confirmedAt: Math.round(node.clock.now() * 1000),
    lastUsedStep: step,
  }
  return enrolment
}
