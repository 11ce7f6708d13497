/** Settings of the audit: which calls are recorded, and where (data supplement 13.4). */
import * as z from 'zod'
import { isMethodWord } from '../../audit/filter.js'
import { isSyslogTemplate, syslogFields } from '../../audit/syslogLine.js'
import { listOf, setting, whole, yesOrNo, type Kind } from '../setting.js'

/** Words of filters of methods. */
const methodWords = listOf(
  z.string().refine(isMethodWord),
  'a list of method ids such as events.get, of groups such as events.all, or the word all',
)

const syslogAddress: Kind<string> = {
  reads: 'text',
  form: 'an address udp://host:port or tcp://host:port',
  schema: z.string().refine(isSyslogAddress),
}

function isSyslogAddress(value: string): boolean {
  if (!/^(udp|tcp):\/\//.test(value) || !URL.canParse(value)) return false
  const { hostname, port, pathname, search, hash, username, password } = new URL(value)
  return hostname !== '' && port !== '0' && /^\/?$/.test(pathname) && search + hash + username + password === ''
}

const template: Kind<string> = {
  reads: 'text',
  form: `one line of text with fields such as {{method}}, of ${syslogFields.join(', ')}`,
  schema: z.string().min(1).refine(isSyslogTemplate),
}

export const auditSettings = {
  'audit.active': setting(yesOrNo, {
    default: true,
    summary: 'Every call of an account is recorded, for its owner to read.',
  }),
  'audit.storage.filter.methods.include': setting(methodWords, {
    default: ['all'],
    summary: 'Methods whose calls are recorded; an empty list is none.',
  }),
  'audit.storage.filter.methods.exclude': setting(methodWords, {
    default: [],
    summary: 'Methods whose calls are not recorded, though included.',
  }),
  'audit.retention.maxAgeDays': setting(whole(0, 36_500, ' of days'), {
    default: 0,
    summary: 'Records of calls that are older are removed, within an hour; 0 keeps them.',
  }),
  'audit.retention.maxMbPerAccount': setting(whole(0, undefined, ' of MB'), {
    default: 0,
    summary: "Most of an account's records of calls that is kept; beyond it the oldest are removed, within an hour. 0 is any size.",
  }),
  'audit.syslog.active': setting(yesOrNo, {
    default: false,
    summary: 'Recorded calls go to a syslog server too, and with them those that belong to no account.',
  }),
  'audit.syslog.url': setting(syslogAddress, {
    default: 'udp://127.0.0.1:514',
    summary: 'The syslog server, over UDP or TCP; what it does not take is dropped, and calls never wait for it.',
  }),
  'audit.syslog.filter.methods.include': setting(methodWords, {
    default: ['all'],
    summary: 'Methods whose calls go to the syslog server; an empty list is none.',
  }),
  'audit.syslog.filter.methods.exclude': setting(methodWords, {
    default: [],
    summary: 'Methods whose calls do not go to the syslog server, though included.',
  }),
  'audit.syslog.templates.success': setting(template, {
    default: '{{username}} {{access}} {{method}} {{source}} {{ip}} {{query}}',
    summary: 'The line of a call that succeeded.',
  }),
  'audit.syslog.templates.failure': setting(template, {
    default: '{{username}} {{access}} {{method}} {{source}} {{ip}} {{query}} {{error}} "{{message}}"',
    summary: 'The line of a call that was refused.',
  }),
} as const
