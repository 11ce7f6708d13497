import { resolve } from 'node:path'
import { neededPassphrase, passphraseOptions } from './backup/shared/passphrase.js'
import { command } from '../command.js'
import { CommandError, usageError } from '../framework/exit.js'
import { flag, text } from '../framework/option.js'
import { startPhases, type Phases } from '../terminal/output/phaseProgress.js'
import { bytes } from '../terminal/output/format.js'
import type { RestoreScreen } from '../screens/restore/restoreScreen.js'

/** `coffer restore`. */
export const restore = command({
  path: ['restore'],
  summary: 'Restore a node, or one account, from a backup',
  description:
    'Restores everything: accounts, files, the key of the node, and its settings if the home has none. The node is moved into place only after everything was restored and compared with the backup, so an interrupted restore leaves no partial node. Existing accesses keep working. On a terminal the progress is shown; press q to cancel, which leaves nothing behind.\n\nDo not run the original node and the restored one at the same time under the same address: other nodes cannot tell them apart. Nodes that were in sync with it send the missing changes.\n\nWith --user, one account of the backup is imported into the node of this home instead, running or not. The account must not exist there, or get a different name (--as) and e-mail address (--email). The same checks as in coffer users import apply; delegations, one-time secrets and pairings of the account are not restored.',
  arguments: { path: text('Path of the backup', { required: true, completes: 'folder', names: 'backup' }) },
  options: {
    user: text('Restore only this account', { placeholder: 'username', names: 'user' }),
    as: text('New username of the account', { placeholder: 'username' }),
    email: text('New e-mail address of the account', { placeholder: 'address' }),
    scratch: text('Temporary folder to restore into, with --user', { placeholder: 'folder', completes: 'folder' }),
    dryRun: flag('Only show what would be restored', { short: 'n' }),
    ...passphraseOptions,
  },
  examples: [
    { type: 'coffer restore /mnt/disk/coffer/2026-11-22T203000Z', description: 'restore into the default home' },
    { type: 'coffer restore /mnt/disk/coffer/2026-11-22T203000Z --home /srv/coffer --passphrase-file pass.txt', description: 'restore into a different home' },
    { type: 'coffer restore /mnt/disk/coffer/2026-11-22T203000Z --user ana-lovelace', description: 'restore one account into the node of this home' },
  ],
  jsonLines: true,
  json: 'the last line is {"event":"done","home","asked":{…},"restored":{…},"differences":0,"problems":[…]}; exit 13 when anything differs. With --user as in coffer users import',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, paths, home, terminal } = context
    const [{ openArchive }, { restoreHome }, { archiveProblem }, { hasStore }] = await Promise.all([
      import('../../store/backup/archive.js'),
      import('../../server/maintenance/restoreHome.js'),
      import('./backup/shared/problems.js'),
      import('../../server/launch/init.js'),
    ])
    const place = resolve(options.path)
    const { user } = options
    if (user === undefined && (options.as ?? options.email ?? options.scratch) !== undefined) throw usageError('--as, --email and --scratch require --user')
    if (user === undefined && hasStore(paths)) {
      throw new CommandError(`A node already exists in ${home}.`, { exit: 6, hint: 'Restore into another folder: --home <folder>\nOr restore one account into this node: --user <username>' })
    }
    let phases: Pick<Phases, 'phase' | 'end'> = startPhases(out, bytes)
    let screen: RestoreScreen | undefined
    try {
      const archive = await openArchive(place, () => neededPassphrase(context, options))
      if (archive.manifest.kind !== 'node') {
        throw usageError(`${place} contains one account, not a node`, `Import it into a node: coffer users import ${place}`)
      }
      if (user !== undefined) {
        const { restoreUser } = await import('./users/transfer/restoreUser.js')
        return await restoreUser(context, archive, { ...options, user }, phases.phase('restoring'))
      }
      const none = Object.fromEntries(Object.keys(archive.manifest.counts).map((noun) => [noun, 0]))
      if (terminal.mayShowScreens && !out.json && !out.quiet && !options.dryRun) {
        const [{ restoreScreen }, { countLines }] = await Promise.all([import('../screens/restore/restoreScreen.js'), import('./backup/shared/words.js')])
        phases = screen = restoreScreen(context, { from: place, into: home, asked: countLines(archive.manifest.counts) })
      }
      const found = options.dryRun
        ? { asked: archive.manifest.counts, restored: none, differences: 0, problems: [] }
        : await restoreHome(archive, paths, { written: phases.phase('restoring'), compared: phases.phase('comparing') })
      screen?.done()
      phases.end()
      const answer = { event: 'done', home, ...found, ...(options.dryRun ? { dryRun: true } : {}) }
      if (out.json) await out.item(answer)
      else {
        await out.result(answer, {
          id: home,
          print: async () => {
            if (options.dryRun) {
              const { countLines } = await import('./backup/shared/words.js')
              for (const line of countLines(archive.manifest.counts)) await out.line(line)
              out.done(`Nothing was restored; ${home} is empty`)
              return
            }
            const { writeComparison } = await import('./backup/shared/comparison.js')
            await writeComparison(out, found)
            if (found.differences === 0) {
              out.done(`Restored into ${home}`)
              out.note(`Next: ${context.commandFor('start')}`)
            }
          },
        })
      }
      if (found.differences > 0) {
        throw new CommandError(`The backup ${place} could not be restored correctly; ${home} is unchanged.`, { exit: 13, data: { problems: found.problems } })
      }
    } catch (error) {
      throw archiveProblem(error, home)
    } finally {
      phases.end()
    }
  },
})
