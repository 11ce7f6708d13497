import { KeychainUnusable } from '../../../store/keyring/nodeKeyUnusable.js'
import { CommandError } from '../../framework/exit.js'

/** The CommandError for a keychain that cannot be used, other errors as they are. `otherwise` is what to do without it. */
export function keychainProblem(error: unknown, otherwise: string): unknown {
  if (!(error instanceof KeychainUnusable)) return error
  return new CommandError(error.message, { cause: error, hint: `${error.next}\n${otherwise}` })
}
