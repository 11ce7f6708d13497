import { KeychainUnusable } from '../../../store/keyring/nodeKeyUnusable.js'
import { CommandError } from '../../framework/exit.js'

/** Returns the CommandError for an unusable keychain, other errors unchanged. `otherwise` is the alternative. */
export function keychainProblem(error: unknown, otherwise: string): unknown {
  if (!(error instanceof KeychainUnusable)) return error
  return new CommandError(error.message, { cause: error, hint: `${error.next}\n${otherwise}` })
}
