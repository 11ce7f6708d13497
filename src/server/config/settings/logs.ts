/** Settings of the node's log. */
import { oneOf, setting, textLike, whole } from '../setting.js'

export const logSettings = {
  'logs.level': setting(oneOf('silent', 'error', 'warn', 'info', 'debug'), {
    default: 'info',
    summary: 'Minimum level of messages that are logged.',
  }),
  'logs.file': setting(textLike(/^\//, 'an absolute path'), {
    default: null,
    summary: 'Log file; default: see coffer config path.',
  }),
  'logs.maxSizeMb': setting(whole(1, 10_000, ' of megabytes'), {
    default: 10,
    summary: 'Size in megabytes at which the log file is rotated.',
  }),
  'logs.keptFiles': setting(whole(0, 1000, ' of files'), {
    default: 3,
    summary: 'Number of rotated log files to keep; file.1 is the most recent.',
  }),
} as const
