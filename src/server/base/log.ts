/** Structured log: one JSON object per line. Callers pass plain fields; secrets have a type that does not print. */
import { escapedJson } from '../../store/model/unprintable.js'

export const LEVELS = { debug: 10, info: 20, warn: 30, error: 40, silent: 100 } as const

export type LogLevel = keyof typeof LEVELS

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** A log record. */
export interface LogEntry {
  /** Seconds since the epoch. */
  time: number
  level: Exclude<LogLevel, 'silent'>
  message: string
  fields: Readonly<Record<string, unknown>>
}

/** Placeholder of a secret in logs, as in `Secret`. */
const HIDDEN = '•••'

/** Removes the tokens that URLs carry before the host or in the query. */
const redacted = (text: string): string =>
  text
    .replace(/\b((?:https?|wss?):\/\/)[^\s/@"']+@/gi, `$1${HIDDEN}@`)
    .replace(/([?&](?:auth|token|access_token|refresh_token|readToken|key|code|secret|password|state)=)[^&\s"'#]+/gi, `$1${HIDDEN}`)

function redactedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redactedValue(value)]))
}

function redactedValue(value: unknown): unknown {
  if (typeof value === 'string') return redacted(value)
  if (Array.isArray(value)) return value.map(redactedValue)
  // Objects with their own toJSON, such as Secret, format themselves.
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) return redactedFields({ ...value })
  return value
}

/** Creates a log that passes each record to `write`, as a JSON line with line break and as an object. */
export function createLog(level: LogLevel, now: () => number, write: (line: string, entry: LogEntry) => void): Log {
  const at =
    (name: LogEntry['level']) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (LEVELS[name] < LEVELS[level]) return
      const entry: LogEntry = { time: now(), level: name, message: redacted(message), fields: redactedFields(fields) }
      write(`${escapedJson(JSON.stringify({ time: entry.time, level: name, message: entry.message, ...entry.fields }))}\n`, entry)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Creates a log that passes each record to several logs. */
export function joinLogs(...logs: readonly Log[]): Log {
  const at =
    (name: LogEntry['level']) =>
    (message: string, fields?: Record<string, unknown>): void => {
      for (const log of logs) log[name](message, fields)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
