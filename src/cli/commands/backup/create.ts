import { resolve } from 'node:path'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'
import { passphraseOptions } from '../../backup/passphrase.js'
import { backupFolder, countLines } from '../../backup/words.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'
import { bytes } from '../../terminal/output/format.js'

/** `coffer backup create`. */
export const create = command({
  path: ['backup', 'create'],
  summary: 'Make a backup of the whole node, or of one account',
  description:
    'Makes an archive of everything: accounts, files, the key of the node, its settings. A node that runs goes on; the backup is what it was at one moment. Each backup is a folder by itself and can be copied or removed by itself; what did not change since the latest one in the same place is linked from there and not written again. The node remembers what was written since, so that only this is read, but for once a week, when everything is. With --user it is one account alone, as coffer users export writes it: coffer users import brings it back, and backup prune leaves it.\n\n' +
    'With a passphrase the archive is sealed: Argon2id makes a key of it, and every byte is encrypted (XChaCha20-Poly1305). Without one, whoever reads the archive has the node. Nobody can open a sealed archive when its passphrase is lost.',
  options: {
    to: text('Folder that holds the backups; backup.to of the settings without it', { placeholder: 'folder', completes: 'folder' }),
    user: text('Only this account', { placeholder: 'username', names: 'user' }),
    ...passphraseOptions,
    unsealed: flag('Make an archive that everybody who has it can read, without a question'),
    full: flag('Write everything again, with a new key'),
  },
  examples: [
    { type: 'coffer backup create --to /mnt/disk/coffer', says: 'asks for a passphrase the first time' },
    { type: 'coffer backup create --to /mnt/disk/coffer --passphrase-file ~/.coffer-passphrase', says: 'for scripts' },
    { type: 'coffer backup create --to /mnt/disk/coffer --user ana-lovelace', says: 'one account' },
  ],
  jsonLines: true,
  json: 'the last line is {"event":"done","path","bytes","newBytes","readBytes","sealed","counts":{"users","events","streams","attachments",…},"problems"}',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, home } = context
    const [{ makeBackup }, { backUpAccount }, { archiveProblem }] = await Promise.all([
      import('../../backup/create.js'),
      import('../../transfer/backUp.js'),
      import('../../backup/problems.js'),
    ])
    const folder = resolve(backupFolder(context, options.to))
    const phases = startPhases(out, bytes)
    const { user } = options
    if (user !== undefined && options.full) throw usageError('--full goes with a backup of the whole node: an account is always written whole')
    const made = await (user === undefined
      ? makeBackup(context, folder, options, phases.phase('writing'))
      : backUpAccount(context, folder, { ...options, user }, (noun, count) => phases.count(noun, count)))
      .catch((error: unknown) => {
        throw archiveProblem(error, home)
      })
      .finally(() => phases.end())
    const { manifest, path, problems, readBytes } = made
    const { storedBytes, newBytes, counts } = manifest
    const isSealed = manifest.sealing !== undefined
    const answer = { event: 'done', path, bytes: storedBytes, newBytes, readBytes, sealed: isSealed, counts, problems }
    if (out.json) await out.item(answer)
    else {
      await out.result(answer, {
        id: path,
        print: async () => {
          out.done(`Backup made: ${bytes(storedBytes)}, ${bytes(newBytes)} of it new`)
          for (const line of countLines(counts)) out.note(line)
          if (!isSealed) out.warn(`It is not sealed: whoever reads it has the ${user === undefined ? 'node' : 'account'}. Seal it with --passphrase-file.`)
          await out.line(path)
          out.note(`Try whether it restores: ${context.commandFor('backup', 'verify', path)}`)
        },
      })
    }
    for (const problem of problems) out.warn(problem)
    return problems.length > 0 ? 13 : undefined
  },
})
