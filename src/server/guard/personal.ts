/** Checks for methods that only the owner of an account may call. */
import { isGenuine } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../method.js'

/** Throws Failure `forbidden` unless the token is a personal one. */
export function requirePersonal({ caller }: Call): void {
  if (caller.access.type !== 'personal') throw new Failure('forbidden', 'This call needs a personal access token.')
}

/**
 * Throws unless the token is of a login by the owner; rejects those of delegates and apps (consent supplement 6.2).
 * @throws Failure `delegation-genuine-login-required`
 */
export function requireGenuine({ caller }: Pick<Call, 'caller'>): void {
  if (!isGenuine(caller.access)) throw new Failure('delegation-genuine-login-required')
}
