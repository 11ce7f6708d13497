/** Settings of the node's log. */
import { oneOf, setting, textLike, whole } from '../setting.js'

export const logSettings = {
  'logs.level': setting(oneOf('silent', 'error', 'warn', 'info', 'debug'), {
    default: 'info',
    summary: 'Least importance of what is logged.',
  }),
  'logs.file': setting(textLike(/^\//, 'an absolute path'), {
    default: null,
    summary: 'File of the log; without it, the one that coffer config path names.',
  }),
  'logs.maxSizeMb': setting(whole(1, 10_000, ' of megabytes'), {
    default: 10,
    summary: 'A log file of this many megabytes is set aside, and a new one begun.',
  }),
  'logs.keptFiles': setting(whole(0, 1000, ' of files'), {
    default: 3,
    summary: 'Log files that are kept when they are set aside: file.1 is the latest.',
  }),
} as const
