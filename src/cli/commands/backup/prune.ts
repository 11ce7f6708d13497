import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { confirm } from '../../terminal/input/confirm.js'
import { flag, text, whole } from '../../framework/option.js'
import { backupFolder } from '../../backup/words.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer backup prune`. */
export const prune = command({
  path: ['backup', 'prune'],
  summary: 'Remove backups that no rule keeps',
  description:
    'Each rule keeps the last backup of each of the latest days, weeks or months in which there is one (UTC); a backup stays when any rule keeps it. The others stay whole: what they share with a removed one is not lost. The latest backup is always kept.',
  options: {
    to: text('Folder that holds the backups; backup.to of the settings without it', { placeholder: 'folder', completes: 'folder' }),
    keepLast: whole('Keep so many of the latest', { from: 0 }),
    keepDaily: whole('Keep the last of so many days', { from: 0 }),
    keepWeekly: whole('Keep the last of so many weeks', { from: 0 }),
    keepMonthly: whole('Keep the last of so many months', { from: 0 }),
    dryRun: flag('Only say what would be removed', { short: 'n' }),
    yes: flag('Do not ask'),
  },
  examples: [
    { type: 'coffer backup prune --to /mnt/disk/coffer --keep-daily 7 --keep-weekly 4 --dry-run', says: 'see what would go' },
    { type: 'coffer backup prune --to /mnt/disk/coffer --keep-last 10 --yes', says: 'for scripts' },
  ],
  json: '{"kept":[names],"removed":[names],"dryRun"}',
  reach: 'machine',
  offline: true,
  async run(context, { to, keepLast, keepDaily, keepWeekly, keepMonthly, dryRun, yes }) {
    const { out, terminal } = context
    const folder = resolve(backupFolder(context, to))
    const rules = [keepLast, keepDaily, keepWeekly, keepMonthly]
    if (rules.every((rule) => rule === undefined)) {
      throw usageError('No rule says what is kept', 'Give one or more of --keep-last, --keep-daily, --keep-weekly, --keep-monthly')
    }
    const [{ archivesIn, dropUnfinished }, { expired }] = await Promise.all([
      import('../../../store/backup/archive.js'),
      import('../../../store/backup/retention.js'),
    ])
    // Archives of single accounts are nobody's successors: they stay until somebody removes them.
    const archives = (await archivesIn(folder)).filter(({ kind }) => kind === 'node')
    const retention = { last: Math.max(1, keepLast ?? 1), daily: keepDaily ?? 0, weekly: keepWeekly ?? 0, monthly: keepMonthly ?? 0 }
    const removed = expired(archives, retention).map(({ name }) => name)
    const stored = archives.map(({ name }) => name).filter((name) => !removed.includes(name))
    if (!dryRun && removed.length > 0) {
      await confirm(terminal, `Remove ${counted(removed.length, 'backup')} of ${archives.length} in ${folder}?`, yes)
      for (const name of removed) {
        // Under this name it counts as unfinished, should the removal be cut off.
        const going = join(folder, `.${name}.0@-.unfinished`)
        await rename(join(folder, name), going)
        await rm(going, { recursive: true, force: true })
      }
      await dropUnfinished(folder, context.now())
    }
    await out.result(
      { kept: stored, removed, dryRun },
      {
        print: async () => {
          for (const name of removed) await out.line(join(folder, name))
          const word = dryRun ? 'would be removed' : 'removed'
          out.done(`${counted(removed.length, 'backup')} ${word}, ${stored.length} kept`)
        },
      },
    )
  },
})
