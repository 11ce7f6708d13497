import { resolve } from 'node:path'
import { writeComparison } from '../backup/comparison.js'
import { neededPassphrase, passphraseOptions } from '../backup/passphrase.js'
import { command } from '../command.js'
import { CommandError, usageError } from '../framework/exit.js'
import { flag, text } from '../framework/option.js'
import { startPhases, type Phases } from '../terminal/output/phaseProgress.js'
import { bytes } from '../terminal/output/format.js'
import type { RestoreScreen } from '../screens/restore/restoreScreen.js'

/** `coffer restore`. */
export const restore = command({
  path: ['restore'],
  summary: 'Make a node out of a backup, or bring one account of it back',
  description:
    'Restores everything: accounts, files, the key of the node, its settings where the home has none. The node gets its place when all of it is there and was compared with the backup, so there is a whole node or none. Nobody who had access before needs to do anything. A terminal shows how far it is; q ends it, and leaves nothing behind.\n\nThe node that the backup was made of must not run any more beside the restored one, under one address: both would be the same node to others. Nodes that were in sync with it send it what it lacks.\n\nWith --user, one account of the backup is brought into the node of this home instead, running or not: it must not be there any more, or come under another name (--as) and address (--email). Everything is checked as in coffer users import; delegations, one-time secrets and pairings of the account do not come back.',
  arguments: { path: text('The backup', { required: true, completes: 'folder', names: 'backup' }) },
  options: {
    user: text('Bring back this account only', { placeholder: 'username', names: 'user' }),
    as: text('Name of the account in place of its former one', { placeholder: 'username' }),
    email: text('E-mail address in place of its former one', { placeholder: 'address' }),
    scratch: text('Folder to restore into for a while, with --user', { placeholder: 'folder', completes: 'folder' }),
    dryRun: flag('Only say what would be restored', { short: 'n' }),
    ...passphraseOptions,
  },
  examples: [
    { type: 'coffer restore /mnt/disk/coffer/2026-11-22T203000Z', says: 'into the usual home' },
    { type: 'coffer restore /mnt/disk/coffer/2026-11-22T203000Z --home /srv/coffer --passphrase-file pass.txt', says: 'into another one' },
    { type: 'coffer restore /mnt/disk/coffer/2026-11-22T203000Z --user ana-lovelace', says: 'one account, into the node of this home' },
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
      import('../backup/problems.js'),
      import('../../server/launch/init.js'),
    ])
    const place = resolve(options.path)
    const { user } = options
    if (user === undefined && (options.as ?? options.email ?? options.scratch) !== undefined) throw usageError('--as, --email and --scratch go with --user')
    if (user === undefined && hasStore(paths)) {
      throw new CommandError(`There is already a node in ${home}.`, { exit: 6, hint: 'Restore into another folder: --home <folder>\nOr bring one account of it here: --user <username>' })
    }
    let phases: Pick<Phases, 'phase' | 'end'> = startPhases(out, bytes)
    let screen: RestoreScreen | undefined
    try {
      const archive = await openArchive(place, () => neededPassphrase(context, options))
      if (archive.manifest.kind !== 'node') {
        throw usageError(`${place} holds one account, not a node`, `Bring it into a node: coffer users import ${place}`)
      }
      if (user !== undefined) {
        const { restoreUser } = await import('../transfer/restoreUser.js')
        return await restoreUser(context, archive, { ...options, user }, phases.phase('restoring'))
      }
      const none = Object.fromEntries(Object.keys(archive.manifest.counts).map((noun) => [noun, 0]))
      if (terminal.mayShowScreens && !out.json && !out.quiet && !options.dryRun) {
        const [{ restoreScreen }, { countLines }] = await Promise.all([import('../screens/restore/restoreScreen.js'), import('../backup/words.js')])
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
              const { countLines } = await import('../backup/words.js')
              for (const line of countLines(archive.manifest.counts)) await out.line(line)
              out.done(`Nothing was restored; ${home} is free`)
              return
            }
            await writeComparison(out, found)
            if (found.differences === 0) {
              out.done(`Restored into ${home}`)
              out.note(`Next: ${context.commandFor('start')}`)
            }
          },
        })
      }
      if (found.differences > 0) {
        throw new CommandError(`The backup ${place} does not restore as it should; ${home} is as it was.`, { exit: 13, data: { problems: found.problems } })
      }
    } catch (error) {
      throw archiveProblem(error, home)
    } finally {
      phases.end()
    }
  },
})
