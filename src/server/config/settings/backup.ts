/** Settings of backups. */
import { setting, text, whole } from '../setting.js'

const DAY_S = 86_400

export const backupSettings = {
  'backup.to': setting(text('a path'), {
    default: null,
    summary: 'Folder for the backups of this node, ideally on another disk.',
  }),
  'backup.everySeconds': setting(whole(0, 366 * DAY_S, ' of seconds'), {
    default: 0,
    summary: 'Seconds between two scheduled backups of a running node; 0 disables them. See coffer backup schedule.',
  }),
  'backup.passphraseFile': setting(text('a path'), {
    default: null,
    summary: 'File with the passphrase of scheduled backups. Without it they are not encrypted.',
  }),
  'backup.keepLast': setting(whole(0, 10_000), { default: 3, summary: 'Number of most recent backups that a schedule always keeps.' }),
  'backup.keepDaily': setting(whole(0, 10_000), { default: 7, summary: 'Number of days for which a schedule keeps the last backup of the day.' }),
  'backup.keepWeekly': setting(whole(0, 10_000), { default: 4, summary: 'Number of weeks for which a schedule keeps the last backup of the week.' }),
  'backup.keepMonthly': setting(whole(0, 10_000), { default: 12, summary: 'Number of months for which a schedule keeps the last backup of the month.' }),
} as const
