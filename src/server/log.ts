/** Structured log: one JSON object a line. Callers pass plain fields; secrets have a type that does not print. */

const LEVELS = { debug: 10, info: 20, warn: 30, error: 40, silent: 100 } as const

export type LogLevel = keyof typeof LEVELS

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** One thing that was logged. */
export interface LogEntry {
  /** Seconds since the epoch. */
  time: number
  level: Exclude<LogLevel, 'silent'>
  message: string
  fields: Readonly<Record<string, unknown>>
}

/** A log that gives each line to `write`, as JSON with its line break, and as what it was made of. */
export function createLog(level: LogLevel, now: () => number, write: (line: string, entry: LogEntry) => void): Log {
  const at =
    (name: LogEntry['level']) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (LEVELS[name] < LEVELS[level]) return
      const entry: LogEntry = { time: now(), level: name, message, fields }
      write(`${JSON.stringify({ time: entry.time, level: name, message, ...fields })}\n`, entry)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
