/** Failures shared by the MFA methods. */
import { Failure } from '../../../store/model/failure.js'

/** Failure for a token that is unknown, expired, of the wrong kind, or of a factor that has changed. */
export const noMfaSession = (): Failure => new Failure('forbidden', 'The MFA session is invalid or has ended.')

/** Failure for a wrong code; does not reveal the number of attempts. */
export const wrongCode = (): Failure =>
  new Failure('invalid-parameters-format', 'The code is wrong or has already been used.', { id: 'invalid-mfa-code' })

/** Failure for invalid content of an enrolment. */
export const wrongContent = (message: string): Failure =>
  new Failure('invalid-parameters-format', message, { id: 'invalid-mfa-content' })

/** Failure when the node offers no second factor. */
export const mfaIsOff = (): Failure => new Failure('unavailable-method', 'This node offers no second factor.')
