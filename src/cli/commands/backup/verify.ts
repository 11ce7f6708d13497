import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeComparison } from './shared/comparison.js'
import { neededPassphrase, passphraseOptions } from './shared/passphrase.js'
import { backupFolder } from './shared/words.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'
import { bytes } from '../../terminal/output/format.js'

/** `coffer backup verify`. */
export const verify = command({
  path: ['backup', 'verify'],
  summary: 'Restore a backup to a temporary folder and compare everything',
  description:
    'Restores the whole backup to a temporary folder, compares every count and digest with the description of the backup, checks the restored store as coffer store check does, and removes it again. An account archive is imported into a temporary node. The scratch folder needs as much space as the node itself.',
  arguments: { path: text('Path of the backup; defaults to the latest one in --to', { completes: 'folder', names: 'backup' }) },
  options: {
    to: text('Folder with the backups; defaults to the setting backup.to', { placeholder: 'folder', completes: 'folder' }),
    latest: flag('Verify the latest backup in the folder'),
    scratch: text('Temporary folder to restore into', { placeholder: 'folder', completes: 'folder' }),
    ...passphraseOptions,
  },
  examples: [
    { type: 'coffer backup verify /mnt/disk/coffer/2026-11-22T203000Z', description: 'verify this backup' },
    { type: 'coffer backup verify --latest --to /mnt/disk/coffer --passphrase-file pass.txt', description: 'for scripts' },
  ],
  jsonLines: true,
  json: 'the last line is {"event":"done","path","asked":{…},"restored":{…},"differences":0,"checked":{…},"problems":[…]}; exit 13 when anything differs',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, home } = context
    const [{ openArchive }, { verifyArchive }, { archiveProblem }] = await Promise.all([
      import('../../../store/backup/archive.js'),
      import('../../../server/maintenance/verifyArchive.js'),
      import('./shared/problems.js'),
    ])
    const place = await placeOf(context, options)
    const scratch = await mkdtemp(join(resolve(options.scratch ?? tmpdir()), 'coffer-verify-'))
    const phases = startPhases(out, bytes)
    try {
      let passphrase: string | undefined
      const archive = await openArchive(place, async () => {
        const secret = await neededPassphrase(context, options)
        passphrase = secret.reveal()
        return secret
      })
      const found =
        archive.manifest.kind === 'node'
          ? await verifyArchive(archive, scratch, { written: phases.phase('restoring'), compared: phases.phase('comparing') })
          : await (await import('../users/transfer/verifyAccount.js')).verifyAccount(context, place, scratch, passphrase)
      phases.end()
      const differences = found.differences + found.damage.length
      const { asked: due, restored, checked } = found
      const problems = [...found.problems, ...found.damage]
      const answer = { event: 'done', path: place, asked: due, restored, differences, checked, problems }
      if (differences === 0) await writeFile(join(place, 'verified'), `${new Date(context.now() * 1000).toISOString()}\n`, { mode: 0o600 }).catch(() => {})
      if (out.json) await out.item(answer)
      else {
        await out.result(answer, {
          id: place,
          print: async () => {
            await writeComparison(out, { ...found, problems })
            if (differences === 0) out.done(`${place} verified: all data matches, and the store is consistent`)
          },
        })
      }
      if (differences > 0) throw new CommandError(`The backup ${place} could not be restored correctly.`, { exit: 13, data: { problems } })
    } catch (error) {
      throw archiveProblem(error, home)
    } finally {
      phases.end()
      await rm(scratch, { recursive: true, force: true })
    }
  },
})

async function placeOf(context: Context, { path, to, latest }: { path: string | undefined; to: string | undefined; latest: boolean }): Promise<string> {
  if (path !== undefined) {
    if (latest || to !== undefined) throw usageError('Give either the path of a backup or --latest')
    return resolve(path)
  }
  const folder = resolve(backupFolder(context, to))
  const { archivesIn } = await import('../../../store/backup/archive.js')
  const last = (await archivesIn(folder)).filter(({ kind }) => kind === 'node').at(-1)
  if (last === undefined) throw new CommandError(`No backups in ${folder}.`, { exit: 5, hint: ['Create one', 'backup', 'create'] })
  return join(folder, last.name)
}
