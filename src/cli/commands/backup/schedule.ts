import { resolve } from 'node:path'
import { editConfigFile } from '../../../server/config/editFile.js'
import { loadConfig } from '../../../server/config/config.js'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { duration, flag, text, whole } from '../../framework/option.js'
import { span } from '../../terminal/output/format.js'
import { isWritable, unitsOf } from '../../service/installed.js'
import { serviceCommand } from '../../service/plan.js'

const KEEPING = { last: 'backup.keepLast', daily: 'backup.keepDaily', weekly: 'backup.keepWeekly', monthly: 'backup.keepMonthly' } as const

/** `coffer backup schedule`. */
export const schedule = command({
  path: ['backup', 'schedule'],
  summary: 'Have the running node make backups by itself',
  description:
    'Writes the settings backup.* into the configuration, which a running node takes at its next start: every so often it makes a backup in the folder, in a process of its own, and removes those that no rule keeps. Without options: says what is set. A sealed backup needs a file with the passphrase that the node may read.',
  options: {
    to: text('Folder that holds the backups', { placeholder: 'folder', completes: 'folder' }),
    every: duration('How often, such as 1d or 6h'),
    passphraseFile: text('File with the passphrase', { placeholder: 'file', completes: 'file' }),
    keepLast: whole('Keep so many of the latest', { from: 0 }),
    keepDaily: whole('Keep the last of so many days', { from: 0 }),
    keepWeekly: whole('Keep the last of so many weeks', { from: 0 }),
    keepMonthly: whole('Keep the last of so many months', { from: 0 }),
    off: flag('Make no more backups by itself'),
  },
  examples: [
    { type: 'coffer backup schedule --to /mnt/disk/coffer --every 1d --passphrase-file ~/.coffer-passphrase', says: 'once a day' },
    { type: 'coffer backup schedule', says: 'what is set' },
    { type: 'coffer backup schedule --off', says: 'no more' },
  ],
  json: '{"schedule":{"to","everySeconds","passphraseFile","keep":{"last","daily","weekly","monthly"}},"changed"}; everySeconds 0 is off',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, paths, env, commandFor } = context
    const { to, every, passphraseFile, keepLast, keepDaily, keepWeekly, keepMonthly, off } = options
    if (off && (every !== undefined || to !== undefined)) throw usageError('--off goes with nothing else')
    if (every !== undefined && every < 60) throw usageError('--every is a minute or more')
    const before = loadConfig({ file: paths.config, env })
    if (every !== undefined && to === undefined && before.get('backup.to') === null) throw usageError('--to is missing')
    const wanted: [string, unknown][] = [
      ['backup.to', to === undefined ? undefined : resolve(to)],
      ['backup.everySeconds', off ? 0 : every === undefined ? undefined : Math.round(every)],
      ['backup.passphraseFile', passphraseFile === undefined ? undefined : resolve(passphraseFile)],
      [KEEPING.last, keepLast],
      [KEEPING.daily, keepDaily],
      [KEEPING.weekly, keepWeekly],
      [KEEPING.monthly, keepMonthly],
    ]
    let changed = false
    for (const [key, value] of wanted) if (value !== undefined && editConfigFile(paths.config, key, value)) changed = true
    const config = loadConfig({ file: paths.config, env })
    const keep = Object.fromEntries(Object.entries(KEEPING).map(([rule, key]) => [rule, config.get(key)]))
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
          if (everySeconds === 0 || folder === null) await out.line('The node makes no backups by itself.')
          else {
            await out.line(`Every ${span(everySeconds)} in ${folder}, ${file === null ? 'not sealed' : `sealed by ${file}`}`)
            await out.line(`Kept: the latest ${keep['last']}, and the last of ${keep['daily']} days, ${keep['weekly']} weeks, ${keep['monthly']} months`)
          }
          const shut = everySeconds === 0 || folder === null ? undefined : unitsOf(paths.home, env).find(({ text }) => !isWritable(text, folder))
          if (shut !== undefined) {
            out.warn(`${shut.unit} does not let the node write to ${folder}.`)
            out.note(`Let it, and start it again: ${serviceCommand(context, 'install', shut)}`)
          } else if (changed) out.note(`Have a running node take it: ${commandFor('restart')}`)
        },
      },
    )
  },
})
