/** Suggests the next command when the names of an imported account are already in use. */
import { Failure } from '../../../../store/model/failure.js'
import type { Context } from '../../../command.js'
import { CommandError, exitByFailure } from '../../../framework/exit.js'
import { recordOf } from '../../../client/answer.js'

/** Options to repeat in the next command; secrets are read from the same source. */
interface ImportOptions {
  folder?: string | undefined
  from?: string | undefined
  fromFile?: string | undefined
  as?: string | undefined
  email?: string | undefined
  passwordStdin: boolean
  passwordFile?: string | undefined
  passphraseStdin?: boolean
  passphraseFile?: string | undefined
  dryRun: boolean
}

/** Adds the next command to a failure about names in use; returns other errors unchanged. */
export function withOtherNames({ commandFor }: Context, options: ImportOptions, error: unknown): unknown {
  if (!(error instanceof Failure) || error.id !== 'item-already-exists') return error
  const conflicts = Object.keys(recordOf(error.data))
  // Other unique account fields can only come from the folder.
  if (conflicts.length === 0 || conflicts.some((field) => field !== 'username' && field !== 'email')) return error
  const words = [
    ...(options.folder === undefined ? [] : [options.folder]),
    // An endpoint contains a token, so it is not repeated.
    ...optionOf('--from', options.from === undefined ? undefined : '-'),
    ...optionOf('--from-file', options.fromFile),
    ...optionOf('--as', conflicts.includes('username') ? '<other name>' : options.as),
    ...optionOf('--email', conflicts.includes('email') ? '<other address>' : options.email),
    ...optionOf('--password-file', options.passwordFile),
    ...(options.passwordStdin ? ['--password-stdin'] : []),
    ...optionOf('--passphrase-file', options.passphraseFile),
    ...(options.passphraseStdin === true ? ['--passphrase-stdin'] : []),
    ...(options.dryRun ? ['--dry-run'] : []),
  ]
  return new CommandError(error.message, {
    id: error.id,
    exit: exitByFailure[error.id],
    data: error.data,
    cause: error,
    hint: `Choose others: ${commandFor('users', 'import', ...words)}`,
  })
}

const optionOf = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [name, value])
