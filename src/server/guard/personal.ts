/** Methods that only the owner of an account may call. */
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../method.js'

/** Refuses every token but a personal one. */
export function requirePersonal({ caller }: Call): void {
  if (caller.access.type !== 'personal') throw new Failure('forbidden', 'This call needs a personal access token.')
}
