/** Settings of backups. */
import { setting, text, whole } from '../setting.js'

const DAY_S = 86_400

export const backupSettings = {
  'backup.to': setting(text('a path'), {
    default: null,
    summary: 'Folder that holds the backups of this node, on another disk if there is one.',
  }),
  'backup.everySeconds': setting(whole(0, 366 * DAY_S, ' of seconds'), {
    default: 0,
    summary: 'Seconds between two backups that a running node makes by itself; 0 switches them off. See coffer backup schedule.',
  }),
  'backup.passphraseFile': setting(text('a path'), {
    default: null,
    summary: 'File with the passphrase of backups that the node makes by itself. Without it they are not sealed.',
  }),
  'backup.keepLast': setting(whole(0, 10_000), { default: 3, summary: 'How many of the latest backups a schedule keeps in any case.' }),
  'backup.keepDaily': setting(whole(0, 10_000), { default: 7, summary: 'For how many days a schedule keeps the last backup of the day.' }),
  'backup.keepWeekly': setting(whole(0, 10_000), { default: 4, summary: 'For how many weeks a schedule keeps the last backup of the week.' }),
  'backup.keepMonthly': setting(whole(0, 10_000), { default: 12, summary: 'For how many months a schedule keeps the last backup of the month.' }),
} as const
