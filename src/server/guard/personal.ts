/** Methods that only the owner of an account may call. */
import { isGenuine } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../method.js'

/** Refuses every token but a personal one. */
export function requirePersonal({ caller }: Call): void {
  if (caller.access.type !== 'personal') throw new Failure('forbidden', 'This call needs a personal access token.')
}

/**
 * Refuses everybody but the owner in person: delegates, apps, whoever an access was shared with (consent supplement 6.2).
 */
export function requireGenuineLogin({ caller }: Call): void {
  if (!isGenuine(caller.access)) throw new Failure('delegation-genuine-login-required')
}
