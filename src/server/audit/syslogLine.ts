/** Formats syslog messages: an audit record through the operator's template, in the framing of RFC 5424. */

/** Fields available in templates, in double braces. */
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

type SyslogField = (typeof syslogFields)[number]

/** Values of the fields; a missing one becomes `-`. */
export type SyslogValues = Partial<Record<SyslogField, unknown>>

const FIELD = /\{\{\s*([A-Za-z]+)\s*\}\}/g

/** Checks whether a template uses only known fields. */
export function isSyslogTemplate(template: string): boolean {
  if (/[\0-\x1f\x7f]/.test(template)) return false
  return [...template.matchAll(FIELD)].every(([, name]) => syslogFields.some((field) => field === name))
}

/** Fills in a template. Values are escaped as in JSON, so that none can start a new line. */
export function fillTemplate(template: string, values: SyslogValues): string {
  return template.replace(FIELD, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name as SyslogField] : undefined
    return value === undefined ? '-' : escaped(value)
  })
}

function escaped(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value)
  // JSON does not escape these control characters, which terminals interpret.
  return text.replace(/[\x7f-\x9f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Facility "log audit", with severity informational and warning. */
const PRIORITY = { success: 13 * 8 + 6, failure: 13 * 8 + 4 }
const MAX_BYTES = 8192

interface SyslogHeader {
  /** Seconds since the epoch. */
  time: number
  host: string
  pid: number
}

/** Formats a message of RFC 5424, truncated to the size that receivers accept. */
export function syslogMessage({ time, host, pid }: SyslogHeader, outcome: 'success' | 'failure', text: string): Buffer {
  const at = new Date(Math.round(time * 1000)).toISOString()
  const bytes = Buffer.from(`<${PRIORITY[outcome]}>1 ${at} ${host} coffer ${pid} call - ${text}`)
  return bytes.length <= MAX_BYTES ? bytes : bytes.subarray(0, wholeCharacters(bytes, MAX_BYTES))
}

/** Returns the last UTF-8 character boundary at or before `end`. */
function wholeCharacters(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
