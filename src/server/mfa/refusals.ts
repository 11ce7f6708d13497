/** The refusals that methods of the second factor share. */
import { Failure } from '../../store/model/failure.js'

/** A token of no session, of an ended one, of the wrong kind, or of one whose factor is another by now. */
export const noMfaSession = (): Failure => new Failure('forbidden', 'The MFA session is not valid, or has ended.')

/** A wrong code; tells neither how many were wrong nor how many may be. */
export const wrongCode = (): Failure =>
  new Failure('invalid-parameters-format', 'The code is wrong, or has been used.', { id: 'invalid-mfa-code' })

/** What an app gave to set up a factor cannot be used. */
export const wrongContent = (message: string): Failure =>
  new Failure('invalid-parameters-format', message, { id: 'invalid-mfa-content' })

/** The node offers no second factor. */
export const mfaIsOff = (): Failure => new Failure('unavailable-method', 'This node offers no second factor.')
