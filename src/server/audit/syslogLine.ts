/** Lines of the syslog output: a record of a call through the operator's template, framed as RFC 5424 asks. */

/** What templates can name, in double braces. */
export const syslogFields = [
  'username',
  'access',
  'method',
  'source',
  'ip',
  'query',
  'callerId',
  'record',
  'count',
  'error',
  'message',
] as const

export type SyslogField = (typeof syslogFields)[number]

/** What a line tells; a field that a call does not have reads `-`. */
export type SyslogValues = Partial<Record<SyslogField, unknown>>

const FIELD = /\{\{\s*([A-Za-z]+)\s*\}\}/g

/** Whether a template names only what lines can tell. */
export function isSyslogTemplate(template: string): boolean {
  if (/[\0-\x1f\x7f]/.test(template)) return false
  return [...template.matchAll(FIELD)].every(([, name]) => syslogFields.some((field) => field === name))
}

/** A template filled in. Values are escaped as in JSON, so that none of them can begin a line of its own. */
export function fillTemplate(template: string, values: SyslogValues): string {
  return template.replace(FIELD, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name as SyslogField] : undefined
    return value === undefined ? '-' : escaped(value)
  })
}

function escaped(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value)
  // JSON leaves these as they are, and terminals act on them.
  return text.replace(/[\x7f-\x9f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The facility "log audit", as informational and as warning. */
const PRIORITY = { success: 13 * 8 + 6, failure: 13 * 8 + 4 }
const LONGEST = 8192

export interface SyslogHeader {
  /** Seconds since the epoch. */
  time: number
  host: string
  pid: number
}

/** A message of RFC 5424. A text that is longer than receivers take is cut. */
export function syslogMessage({ time, host, pid }: SyslogHeader, outcome: 'success' | 'failure', text: string): Buffer {
  const at = new Date(Math.round(time * 1000)).toISOString()
  const bytes = Buffer.from(`<${PRIORITY[outcome]}>1 ${at} ${host} coffer ${pid} call - ${text}`)
  return bytes.length <= LONGEST ? bytes : bytes.subarray(0, wholeCharacters(bytes, LONGEST))
}

/** The end at or before `end` that cuts no character of UTF-8 in two. */
function wholeCharacters(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
