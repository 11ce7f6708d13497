/** Exports an account of a remote node into a local folder, as a stream. */
import { FramesDamaged, readFrames } from '../../../../server/base/frames.js'
import { receiveArchive } from '../../../../server/accountTransfer/archiveFrames.js'
import type { Exported, ExportOptions } from '../../../../server/accountTransfer/exportAccount.js'
import { beginArchive } from '../../../../store/backup/archive.js'
import type { Secret } from '../../../../store/model/secret.js'
import { CommandError } from '../../../framework/exit.js'
import { abortOnInterrupt, type Interruption } from '../../../client/interruption.js'
import type { Transfers } from '../../../client/nodeClient.js'

interface DownloadInput extends Pick<ExportOptions, 'withFiles'> {
  username: string
  /** Path of the new folder; nothing may exist there. */
  folder: string
  passphrase: Secret<string> | undefined
  /** Ctrl-C of the command; also one that came before the download ends it. */
  stopping: Interruption
  /** Receives the progress of the node. */
  progress?(noun: string, count: number): void
}

/**
 * Writes the folder, encrypted by this process when there is a passphrase; leaves nothing behind on errors.
 * @throws CommandError 7 when the connection is cut, 13 when the data is damaged, 130 after Ctrl-C; Failure of the node
 */
export async function downloadAccount(transfers: Transfers, { username, folder, passphrase, stopping, withFiles, progress }: DownloadInput): Promise<Exported> {
  const draft = await beginArchive({ folder, passphrase })
  try {
    const { bytes } = await transfers.receive('users.export', { username, withFiles }, {})
    const frames = readFrames(abortOnInterrupt(bytes, stopping, 'Interrupted; nothing was written.'))
    return await receiveArchive(frames, draft, progress === undefined ? {} : { progress })
  } catch (error) {
    await draft.drop()
    if (!(error instanceof FramesDamaged)) throw error
    throw new CommandError(`Nothing was written: ${error.message}`, { exit: error.isCut ? 7 : 13, cause: error, hint: 'Run the command again; it starts from the beginning.' })
  }
}
