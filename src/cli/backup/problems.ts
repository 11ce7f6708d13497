/** Why an archive cannot be used, as a command tells it. */
import { SourceChanged } from '../../store/backup/archive.js'
import { WrongPassphrase } from '../../store/keyring/passphraseEncryption.js'
import { StoreTooBusy } from '../../store/backup/checkpoint.js'
import { ArchiveDamaged, ArchiveUnknown, NoArchive } from '../../store/backup/manifest.js'
import { CommandError } from '../framework/exit.js'
import { storeProblem } from '../client/storeProblem.js'

/** The CommandError for what archives and the store behind them throw; other errors as they are. */
export function archiveProblem(error: unknown, home: string): unknown {
  if (error instanceof NoArchive) {
    return new CommandError(error.message, { exit: 5, cause: error, hint: ['See what there is', 'backup', 'list', '--to', '<folder>'] })
  }
  if (error instanceof WrongPassphrase) return new CommandError(error.message, { exit: 12, cause: error })
  if (error instanceof ArchiveDamaged) {
    const hint = 'Another archive of the folder may be whole: coffer backup list --to <folder>'
    return new CommandError(error.message, { exit: 13, cause: error, hint })
  }
  if (error instanceof ArchiveUnknown) return new CommandError(error.message, { cause: error })
  if (error instanceof StoreTooBusy) return new CommandError(error.message, { exit: 75, cause: error, hint: 'Try again in a moment.' })
  if (error instanceof SourceChanged) return new CommandError(error.message, { exit: 13, cause: error })
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CommandError('The disk is full; nothing was finished.', { exit: 75, cause: error, hint: 'Make room, and do it again.' })
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new CommandError(`This may not be done here: ${String((error as Error).message)}`, { exit: 4, cause: error })
  }
  return storeProblem(error, home)
}
