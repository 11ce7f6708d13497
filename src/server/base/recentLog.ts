/** The latest records of the log, in memory, for the pages of the operator. */
import { createLog, LEVELS, type Log, type LogEntry, type LogLevel } from './log.js'

/** A record with its fields as JSON text, empty without fields. */
interface RecentEntry extends Pick<LogEntry, 'time' | 'level' | 'message'> {
  fields: string
}

interface RecentLog {
  /** Receives the records. */
  readonly log: Log
  /** Returns the latest records of a level or higher, the latest first. */
  latest(level: LogLevel, max: number): RecentEntry[]
}

const MAX_ENTRIES = 1000
/** Maximum length of a message, and of its fields, in characters. */
const MAX_LENGTH = 1000

const cut = (text: string): string => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)

/** Creates the memory of a log; secrets are removed as in the log itself. */
export function createRecentLog(level: LogLevel, now: () => number): RecentLog {
  let entries: RecentEntry[] = []
  const log = createLog(level, now, (_, { time, level: of, message, fields }) => {
    const text = Object.keys(fields).length === 0 ? '' : JSON.stringify(fields)
    entries.push({ time, level: of, message: cut(message), fields: cut(text) })
    // Dropping half at once keeps the cost of a record constant.
    if (entries.length >= 2 * MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES)
  })
  return {
    log,
    latest: (least, max) =>
      entries
        .slice(-MAX_ENTRIES)
        .filter(({ level: of }) => LEVELS[of] >= LEVELS[least])
        .slice(-max)
        .reverse(),
  }
}

/** Needed by functions that show the log. */
export interface RecentLogDeps {
  readonly recentLog: RecentLog
}
