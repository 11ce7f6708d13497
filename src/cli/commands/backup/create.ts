import { resolve } from 'node:path'
import { command } from '../../command.js'
import { flag, text } from '../../framework/option.js'
import { passphraseOptions } from './shared/passphrase.js'
import { backupFolder, countLines } from './shared/words.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'
import { bytes } from '../../terminal/output/format.js'
import { throwIfInterrupted, untilInterrupted, type Interruption } from '../../client/interruption.js'
import { CommandError, usageError } from '../../framework/exit.js'
import type { BackupResult } from './shared/create.js'

/** `coffer backup create`. */
export const create = command({
  path: ['backup', 'create'],
  summary: 'Back up the whole node or one account',
  description:
    'Writes an archive of everything: accounts, files, the key of the node and its settings. A running node keeps working; the backup is a consistent snapshot. Each backup is a folder of its own and can be copied or removed independently. Unchanged data is hard-linked from the latest backup in the same folder instead of being written again. The node tracks changes since then, so only these are read, except for a full read once a week. With --user only one account is written, in the format of coffer users export: restore it with coffer users import. coffer backup prune never removes account archives.\n\n' +
    'With a passphrase the archive is sealed: the key is derived with Argon2id and every byte is encrypted (XChaCha20-Poly1305). Without one, anyone who reads the archive has the node. A sealed archive cannot be opened if its passphrase is lost.',
  options: {
    to: text('Folder for backups; defaults to the setting backup.to', { placeholder: 'folder', completes: 'folder' }),
    user: text('Back up only this account', { placeholder: 'username', names: 'user' }),
    ...passphraseOptions,
    unsealed: flag('Do not encrypt the archive; skips the prompt'),
    full: flag('Write everything again, with a new key'),
  },
  examples: [
    { type: 'coffer backup create --to /mnt/disk/coffer', description: 'prompt for a passphrase the first time' },
    { type: 'coffer backup create --to /mnt/disk/coffer --passphrase-file ~/.coffer-passphrase', description: 'for scripts' },
    { type: 'coffer backup create --to /mnt/disk/coffer --user ana-lovelace', description: 'one account' },
  ],
  jsonLines: true,
  json: 'the last line is {"event":"done","path","bytes","newBytes","readBytes","sealed","counts":{"users","events","streams","attachments",…},"problems"}',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, home } = context
    const [{ makeBackup }, { backUpAccount }, { archiveProblem }] = await Promise.all([
      import('./shared/create.js'),
      import('../users/transfer/backUp.js'),
      import('./shared/problems.js'),
    ])
    const folder = resolve(backupFolder(context, options.to))
    const phases = startPhases(out, bytes)
    const { user } = options
    if (user !== undefined && options.full) throw usageError('--full requires a backup of the whole node: an account is always written in full')
    const written = { bytes: 0, of: 0 }
    const make = (stopping: Interruption): Promise<BackupResult> => {
      if (user !== undefined) {
        return backUpAccount(context, folder, { ...options, user }, (noun, count) => {
          throwIfInterrupted(stopping)
          phases.count(noun, count)
        })
      }
      const writing = phases.phase('writing')
      return makeBackup(context, folder, options, (by, of) => {
        throwIfInterrupted(stopping)
        written.bytes += by
        written.of = of
        writing(by, of)
      })
    }
    const archive = await untilInterrupted(make, () => interruptedBackup(written, folder))
      .catch((error: unknown) => {
        throw archiveProblem(error, home)
      })
      .finally(() => phases.end())
    const { manifest, path, problems, readBytes } = archive
    const { storedBytes, newBytes, counts } = manifest
    const isSealed = manifest.sealing !== undefined
    const answer = { event: 'done', path, bytes: storedBytes, newBytes, readBytes, sealed: isSealed, counts, problems }
    if (out.json) await out.item(answer)
    else {
      await out.result(answer, {
        id: path,
        print: async () => {
          out.done(`Backup created: ${bytes(storedBytes)}, ${bytes(newBytes)} new`)
          for (const line of countLines(counts)) out.note(line)
          if (!isSealed) out.warn(`The backup is not sealed: anyone who reads it has the ${user === undefined ? 'node' : 'account'}. Seal it with --passphrase-file.`)
          await out.line(path)
          out.note(`Verify that it can be restored: ${context.commandFor('backup', 'verify', path)}`)
        },
      })
    }
    for (const problem of problems) out.warn(problem)
    return problems.length > 0 ? 13 : undefined
  },
})

function interruptedBackup({ bytes: done, of }: { bytes: number; of: number }, folder: string): CommandError {
  const after = done === 0 ? '' : ` after ${bytes(done)} of about ${bytes(of)}`
  return new CommandError(`Interrupted${after}. No backup was written; earlier ones in ${folder} are unchanged.`, {
    exit: 130,
    hint: 'To make the backup, run the same command again; it starts from the beginning.',
  })
}
