/** Converts errors of archives to messages of a command. */
import { SourceChanged } from '../../../../store/backup/archive.js'
import { WrongPassphrase } from '../../../../store/keyring/passphraseEncryption.js'
import { StoreTooBusy } from '../../../../store/backup/checkpoint.js'
import { ArchiveDamaged, ArchiveUnknown, NoArchive } from '../../../../store/backup/manifest.js'
import { CommandError } from '../../../framework/exit.js'
import { storeProblem } from '../../../client/storeProblem.js'

/** Returns the CommandError for errors of archives and their store; other errors unchanged. */
export function archiveProblem(error: unknown, home: string): unknown {
  if (error instanceof NoArchive) {
    return new CommandError(error.message, { exit: 5, cause: error, hint: ['List the backups', 'backup', 'list', '--to', '<folder>'] })
  }
  if (error instanceof WrongPassphrase) return new CommandError(error.message, { exit: 12, cause: error })
  if (error instanceof ArchiveDamaged) {
    const hint = 'Try another archive of the folder: coffer backup list --to <folder>'
    return new CommandError(error.message, { exit: 13, cause: error, hint })
  }
  if (error instanceof ArchiveUnknown) return new CommandError(error.message, { cause: error })
  if (error instanceof StoreTooBusy) return new CommandError(error.message, { exit: 75, cause: error, hint: 'Try again in a moment.' })
  if (error instanceof SourceChanged) return new CommandError(error.message, { exit: 13, cause: error })
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CommandError('The disk is full; the operation was not completed.', { exit: 75, cause: error, hint: 'Free some space, then run the command again.' })
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new CommandError(`Permission denied: ${String((error as Error).message)}`, { exit: 4, cause: error })
  }
  return storeProblem(error, home)
}
