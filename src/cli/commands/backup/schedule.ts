import { STDIN } from '../../terminal/input/text.js'
import { resolve } from 'node:path'
import { editConfigFile } from '../../../server/config/editFile.js'
import { loadConfig } from '../../../server/config/config.js'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { duration, flag, text, whole } from '../../framework/option.js'
import { span } from '../../terminal/output/format.js'
import { isWritable, unitsOf } from '../service/shared/installed.js'
import { serviceCommand } from '../service/shared/plan.js'

const RETENTION = { last: 'backup.keepLast', daily: 'backup.keepDaily', weekly: 'backup.keepWeekly', monthly: 'backup.keepMonthly' } as const

/** `coffer backup schedule`. */
export const schedule = command({
  path: ['backup', 'schedule'],
  summary: 'Schedule automatic backups on the running node',
  description:
    'Writes the settings backup.* to the configuration; a running node applies them at the next start. At each interval the node creates a backup in the folder, in a separate process, and removes those that no retention rule keeps. Without options, shows the current schedule. A sealed backup needs a passphrase file that the node can read.',
  options: {
    to: text('Folder for backups', { placeholder: 'folder', completes: 'folder' }),
    every: duration('Interval, such as 1d or 6h'),
    passphraseFile: text('File with the passphrase', { placeholder: 'file', completes: 'file' }),
    keepLast: whole('Keep this many of the latest backups', { from: 0 }),
    keepDaily: whole('Keep the last backup of this many days', { from: 0 }),
    keepWeekly: whole('Keep the last backup of this many weeks', { from: 0 }),
    keepMonthly: whole('Keep the last backup of this many months', { from: 0 }),
    off: flag('Stop automatic backups'),
  },
  examples: [
    { type: 'coffer backup schedule --to /mnt/disk/coffer --every 1d --passphrase-file ~/.coffer-passphrase', description: 'back up once a day' },
    { type: 'coffer backup schedule', description: 'show the schedule' },
    { type: 'coffer backup schedule --off', description: 'stop automatic backups' },
  ],
  json: '{"schedule":{"to","everySeconds","passphraseFile","keep":{"last","daily","weekly","monthly"}},"changed"}; everySeconds 0 is off',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, paths, env, commandFor } = context
    const { to, every, passphraseFile, keepLast, keepDaily, keepWeekly, keepMonthly, off } = options
    if (passphraseFile === STDIN) throw usageError('--passphrase-file takes a file here, not stdin: the node reads it for every backup')
    if (off && (every !== undefined || to !== undefined)) throw usageError('--off cannot be combined with other options')
    if (every !== undefined && every < 60) throw usageError('--every must be at least one minute')
    const before = loadConfig({ file: paths.config, env })
    if (every !== undefined && to === undefined && before.get('backup.to') === null) throw usageError('--to <folder> is missing', 'For example: coffer backup schedule --to /mnt/disk/coffer --every 1d')
    const changes: [string, unknown][] = [
      ['backup.to', to === undefined ? undefined : resolve(to)],
      ['backup.everySeconds', off ? 0 : every === undefined ? undefined : Math.round(every)],
      ['backup.passphraseFile', passphraseFile === undefined ? undefined : resolve(passphraseFile)],
      [RETENTION.last, keepLast],
      [RETENTION.daily, keepDaily],
      [RETENTION.weekly, keepWeekly],
      [RETENTION.monthly, keepMonthly],
    ]
    let changed = false
    for (const [key, value] of changes) if (value !== undefined && editConfigFile(paths.config, key, value)) changed = true
    const config = loadConfig({ file: paths.config, env })
    const keep = Object.fromEntries(Object.entries(RETENTION).map(([rule, key]) => [rule, config.get(key)]))
    const schedule_ = {
      to: config.get('backup.to'),
      everySeconds: config.get('backup.everySeconds'),
      passphraseFile: config.get('backup.passphraseFile'),
      keep,
    }
    await out.result(
      { schedule: schedule_, changed },
      {
        print: async () => {
          const { to: folder, everySeconds, passphraseFile: file } = schedule_
          if (everySeconds === 0 || folder === null) await out.line('Automatic backups are off.')
          else {
            await out.line(`Every ${span(everySeconds)} in ${folder}, ${file === null ? 'not sealed' : `sealed by ${file}`}`)
            await out.line(`Kept: the latest ${keep['last']}, and the last of ${keep['daily']} days, ${keep['weekly']} weeks, ${keep['monthly']} months`)
          }
          const blockingUnit = everySeconds === 0 || folder === null ? undefined : unitsOf(paths.home, env).find(({ text }) => !isWritable(text, folder))
          if (blockingUnit !== undefined) {
            out.warn(`${blockingUnit.unit} does not let the node write to ${folder}.`)
            out.note(`Allow it, and restart the node: ${serviceCommand(context, 'install', blockingUnit)}`)
          } else if (changed) out.note(`Apply to a running node: ${commandFor('restart')}`)
        },
      },
    )
  },
})
