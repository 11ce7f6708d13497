import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { flag, text, whole } from '../../framework/option.js'
import { backupFolder } from './shared/words.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer backup prune`. */
export const prune = command({
  path: ['backup', 'prune'],
  summary: 'Remove backups that no retention rule keeps',
  description:
    'Each rule keeps the last backup of each of the latest days, weeks or months that have one (UTC). A backup is kept if any rule matches. The remaining backups stay complete: data shared with a removed backup is not lost. The latest backup is always kept.',
  options: {
    to: text('Folder with the backups; defaults to the setting backup.to', { placeholder: 'folder', completes: 'folder' }),
    keepLast: whole('Keep this many of the latest backups', { from: 0 }),
    keepDaily: whole('Keep the last backup of this many days', { from: 0 }),
    keepWeekly: whole('Keep the last backup of this many weeks', { from: 0 }),
    keepMonthly: whole('Keep the last backup of this many months', { from: 0 }),
    dryRun: flag('Only list what would be removed', { short: 'n' }),
    yes: yesOption(),
  },
  examples: [
    { type: 'coffer backup prune --to /mnt/disk/coffer --keep-daily 7 --keep-weekly 4 --dry-run', description: 'list what would be removed' },
    { type: 'coffer backup prune --to /mnt/disk/coffer --keep-last 10 --yes', description: 'for scripts' },
  ],
  json: '{"kept":[names],"removed":[names],"dryRun"}',
  reach: 'machine',
  offline: true,
  async run(context, { to, keepLast, keepDaily, keepWeekly, keepMonthly, dryRun, yes }) {
    const { out, terminal } = context
    const folder = resolve(backupFolder(context, to))
    const rules = [keepLast, keepDaily, keepWeekly, keepMonthly]
    if (rules.every((rule) => rule === undefined)) {
      throw usageError('No retention rule given', 'Use one or more of --keep-last, --keep-daily, --keep-weekly, --keep-monthly')
    }
    const [{ archivesIn, dropUnfinished }, { expired }] = await Promise.all([
      import('../../../store/backup/archive.js'),
      import('../../../store/backup/retention.js'),
    ])
    // Account archives belong to no series of backups: they stay until removed by hand.
    const archives = (await archivesIn(folder)).filter(({ kind }) => kind === 'node')
    const retention = { last: Math.max(1, keepLast ?? 1), daily: keepDaily ?? 0, weekly: keepWeekly ?? 0, monthly: keepMonthly ?? 0 }
    const removed = expired(archives, retention).map(({ name }) => name)
    const kept = archives.map(({ name }) => name).filter((name) => !removed.includes(name))
    if (!dryRun && removed.length > 0) {
      await confirm(terminal, `Remove ${counted(removed.length, 'backup')} of ${archives.length} in ${folder}?`, yes)
      for (const name of removed) {
        // The temporary name marks the backup as unfinished if the removal is interrupted.
        const partial = join(folder, `.${name}.0@-.unfinished`)
        await rename(join(folder, name), partial)
        await rm(partial, { recursive: true, force: true })
      }
      await dropUnfinished(folder, context.now())
    }
    await out.result(
      { kept, removed, dryRun },
      {
        print: async () => {
          for (const name of removed) await out.line(join(folder, name))
          const word = dryRun ? 'would be removed' : 'removed'
          out.done(`${counted(removed.length, 'backup')} ${word}, ${kept.length} kept`)
        },
      },
    )
  },
})
