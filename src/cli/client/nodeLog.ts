/** Log of a running node: written to its file and to stderr. */
import { systemClock } from '../../server/base/clock.js'
import type { Config } from '../../server/config/config.js'
import { createLog } from '../../server/base/log.js'
import type { Log, LogEntry } from '../../server/base/log.js'
import { logText } from '../terminal/output/logText.js'
import type { Terminal } from '../terminal/terminal.js'
import { logFile } from './logFile.js'

interface NodeLog {
  log: Log
  /** Writes to the file only, for events that the screen shows in other words. */
  file: Log
}

/** Opens a log of JSON lines; on a terminal without --json, stderr is human-readable. */
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

/** Returns the path of the log: `defaultPath` unless configured otherwise. */
export const logPath = (defaultPath: string, config: Config): string => config.get('logs.file') ?? defaultPath
