/** Settings of the audit log: recorded calls, retention and syslog (docs/interface/audit.md#settings). */
import * as z from 'zod'
import { isMethodWord } from '../../audit/filter.js'
import { isSyslogTemplate, syslogFields } from '../../audit/syslogLine.js'
import { listOf, setting, whole, yesOrNo, type Kind } from '../setting.js'

/** Words of method filters. */
const methodWords = listOf(
  () => z.string().refine(isMethodWord),
  'a list of method ids such as events.get, of groups such as events.all, or the word all',
)

const syslogAddress: Kind<string> = {
  reads: 'text',
  form: 'an address udp://host:port or tcp://host:port',
  schema: () => z.string().refine(isSyslogAddress),
}

function isSyslogAddress(value: string): boolean {
  if (!/^(udp|tcp):\/\//.test(value) || !URL.canParse(value)) return false
  const { hostname, port, pathname, search, hash, username, password } = new URL(value)
  return hostname !== '' && port !== '0' && /^\/?$/.test(pathname) && search + hash + username + password === ''
}

const template: Kind<string> = {
  reads: 'text',
  form: `one line of text with fields such as {{method}}, of ${syslogFields.join(', ')}`,
  schema: () => z.string().min(1).refine(isSyslogTemplate),
}

export const auditSettings = {
  'audit.active': setting(yesOrNo, {
    default: true,
    summary: 'Record every API call of an account, readable by its owner.',
  }),
  'audit.storage.filter.methods.include': setting(methodWords, {
    default: ['all'],
    summary: 'Methods whose calls are recorded; an empty list records none.',
  }),
  'audit.storage.filter.methods.exclude': setting(methodWords, {
    default: [],
    summary: 'Methods whose calls are not recorded, even if included.',
  }),
  'audit.retention.maxAgeDays': setting(whole(0, 36_500, ' of days'), {
    default: 0,
    summary: 'Days after which audit records are removed (checked hourly); 0 keeps them forever.',
  }),
  'audit.retention.maxMbPerAccount': setting(whole(0, undefined, ' of MB'), {
    default: 0,
    summary: 'Maximum size of the audit records of an account, in MB; the oldest are removed first (checked hourly). 0 means unlimited.',
  }),
  'audit.syslog.active': setting(yesOrNo, {
    default: false,
    summary: 'Also send recorded calls to a syslog server, including those that belong to no account.',
  }),
  'audit.syslog.url': setting(syslogAddress, {
    default: 'udp://127.0.0.1:514',
    summary: 'The syslog server, over UDP or TCP; messages it does not accept are dropped, and calls never wait for it.',
  }),
  'audit.syslog.filter.methods.include': setting(methodWords, {
    default: ['all'],
    summary: 'Methods whose calls are sent to the syslog server; an empty list sends none.',
  }),
  'audit.syslog.filter.methods.exclude': setting(methodWords, {
    default: [],
    summary: 'Methods whose calls are not sent to the syslog server, even if included.',
  }),
  'audit.syslog.templates.success': setting(template, {
    default: '{{username}} {{access}} {{method}} {{source}} {{ip}} {{query}}',
    summary: 'Syslog message of a successful call.',
  }),
  'audit.syslog.templates.failure': setting(template, {
    default: '{{username}} {{access}} {{method}} {{source}} {{ip}} {{query}} {{error}} "{{message}}"',
    summary: 'Syslog message of a failed call.',
  }),
} as const
