/** Re-authentication before the second factor is replaced or removed (docs/interface/mfa.md#step-up). */
import type { Enrolment } from '../../../store/model/mfa.js'
import { Failure } from '../../../store/model/failure.js'
import { countAttempt } from '../../auth/attempts.js'
import { checkPassword } from '../../auth/passwordCheck.js'
import type { Call } from '../../call/method.js'
import { consumeAppCode } from './attempt.js'
import { codeBackoff } from './offer.js'

interface StepUp {
  password?: string | undefined
  /** Current code of the account's authenticator app. */
  code?: string | undefined
}

/**
 * Checks the password or the code, exactly one of which is required. At the terminal the operator acts for the owner.
 * @throws Failure `invalid-parameters-format` when it is not exactly one; `invalid-step-up`; `too-many-attempts`
 */
export async function requireStepUp(call: Call, enrolment: Enrolment | undefined, params: StepUp): Promise<void> {
  const { node, account, user, origin } = call
  if (origin.transport === 'control') return
  const { password, code } = params
  if ((password === undefined) === (code === undefined)) {
    throw new Failure('invalid-parameters-format', 'Provide the password of the account or a code of the second factor.', {
      id: 'step-up-required',
    })
  }
  if (password !== undefined) {
    if (await checkPassword(node, account, user, password, origin)) return
    throw new Failure('invalid-step-up')
  }
  await countAttempt(node, account, 'mfa', codeBackoff(node.config))
  const isTaken = enrolment !== undefined && (await consumeAppCode(node, account, enrolment.id, code?.trim() ?? ''))
  if (!isTaken) throw new Failure('invalid-step-up')
}
