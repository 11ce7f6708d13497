/** Where the log of a running node goes: to its file, and to whoever watches stderr. */
import { systemClock } from '../../server/base/clock.js'
import type { Config } from '../../server/config/config.js'
import { createLog } from '../../server/base/log.js'
import type { Log, LogEntry } from '../../server/base/log.js'
import { logText } from '../terminal/output/logText.js'
import type { Terminal } from '../terminal/terminal.js'
import { logFile } from './logFile.js'

export interface NodeLog {
  log: Log
  /** The file alone, for what the screen is told in other words. */
  file: Log
}

/** A log as JSON lines, and readable where a person looks at stderr and did not ask for JSON. */
export function openNodeLog(path: string, config: Config, terminal: Terminal, json: boolean): NodeLog {
  const level = config.get('logs.level')
  const maxBytes = config.get('logs.maxSizeMb') * 1_000_000
  const write = logFile({ path: logPath(path, config), maxBytes, maxFiles: config.get('logs.keptFiles') })
  const show = (line: string, entry: LogEntry): void =>
    terminal.writeStderr(terminal.errIsTerminal && !json ? logText(entry, terminal.paintErr) : line)
  const now = (): number => systemClock.now()
  return {
    log: createLog(level, now, (line, entry) => {
      write(line)
      show(line, entry)
    }),
    file: createLog(level, now, write),
  }
}

/** Where the log is: `place` unless the settings say otherwise. */
export const logPath = (place: string, config: Config): string => config.get('logs.file') ?? place
