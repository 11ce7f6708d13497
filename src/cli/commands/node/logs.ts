import { existsSync } from 'node:fs'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { addedLines, lastLines, type LogFilter, type LogLine } from './readLog.js'
import { interruption } from '../../client/interruption.js'
import { logPath } from '../../client/nodeLog.js'
import { choice, duration, flag, text, whole } from '../../framework/option.js'
import { logText } from '../../terminal/output/logText.js'

const DEFAULT_LINES = 100

/** `coffer logs`. */
export const logs = command({
  path: ['logs'],
  summary: 'Read or follow the log of the node',
  description:
    'Shows the last lines of the log, even if the node is stopped: formatted on a terminal, else as the JSON objects of the file, one per line. The log never contains tokens or passwords.\n\n' +
    'The file is rotated by size; see the settings logs.file, logs.maxSizeMb, logs.keptFiles and logs.level. API calls are recorded in the audit log: coffer audit list.',
  options: {
    follow: flag('Print new lines as they are logged, until Ctrl-C', { short: 'f' }),
    lines: whole('Maximum number of lines; defaults to 100', { short: 'n' }),
    since: duration('Only lines of this period, such as 1h'),
    level: choice(['debug', 'info', 'warn', 'error'], 'Only lines of this level or higher'),
    user: text('Only lines about this account', { placeholder: 'username', names: 'user' }),
    method: text('Only lines about this method', { placeholder: 'method' }),
  },
  examples: [
    { type: 'coffer logs -f --level warn', description: 'follow warnings and errors' },
    { type: 'coffer logs --since 1h --user ana-lovelace', description: 'lines about an account in the last hour' },
    { type: 'coffer logs -n 1000 --jq .message', description: 'for scripts' },
  ],
  json: 'one object per line: {"time","level","message",…}',
  reach: 'machine',
  offline: true,
  async run({ out, terminal, paths, env, now, commandFor }, { follow, lines = DEFAULT_LINES, since, level, user, method }) {
    const { loadConfig } = await import('../../../server/config/config.js')
    const config = loadConfig({ file: paths.config, env })
    const path = logPath(paths.log, config)
    if (!existsSync(path) && !follow) {
      throw new CommandError(`No log at ${path}.`, { exit: 5, hint: `Start a node to create it: ${commandFor('start')}` })
    }
    const filter: LogFilter = {
      ...(since === undefined ? {} : { since: now() - since }),
      ...(level === undefined ? {} : { level }),
      ...(user === undefined ? {} : { user }),
      ...(method === undefined ? {} : { method }),
    }
    const isForPerson = terminal.outIsTerminal && !out.json
    const show = ({ text: line, entry }: LogLine): Promise<void> =>
      isForPerson ? terminal.write(logText(entry, terminal.paintOut)) : out.items([line])
    // Follows from the position before the existing lines were read, so that no line is lost.
    const over = new AbortController()
    const addedIterator = follow ? addedLines(path, filter, over.signal) : undefined
    const next = addedIterator?.next()
    if (lines > 0) for (const line of await lastLines(path, config.get('logs.keptFiles'), filter, lines)) await show(line)
    if (addedIterator === undefined || next === undefined) return undefined
    const ctrlC = interruption()
    for (let added = await ctrlC.or(next); added !== 'interrupted'; added = await ctrlC.or(addedIterator.next())) {
      if (added.done !== true) await show(added.value)
    }
    over.abort()
    return 130
  },
})
