import { existsSync } from 'node:fs'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { addedLines, lastLines, type LogFilter, type LogLine } from '../../logs/read.js'
import { interruption } from '../../client/interruption.js'
import { logPath } from '../../client/nodeLog.js'
import { choice, duration, flag, text, whole } from '../../framework/option.js'
import { jsonTextLine } from '../../terminal/output/json.js'
import { logText } from '../../terminal/output/logText.js'

const SHOWN = 100

/** `coffer logs`. */
export const logs = command({
  path: ['logs'],
  summary: 'Read the log of the node, or follow it',
  description:
    'Shows the last lines of the log, also of a node that has stopped: readable on a terminal, else as the JSON objects that the file has, one a line. Tokens and passwords are never in it.\n\n' +
    'The file is kept by its size; see the settings logs.file, logs.maxSizeMb, logs.keptFiles and logs.level. Who called what is in the audit: coffer audit list.',
  options: {
    follow: flag('Go on with what is logged, until Ctrl-C', { short: 'f' }),
    lines: whole('Show this many lines at most; 100 without it', { short: 'n' }),
    since: duration('Not older than this'),
    level: choice(['debug', 'info', 'warn', 'error'], 'At least of this importance'),
    user: text('About this account', { placeholder: 'username', names: 'user' }),
    method: text('About this method', { placeholder: 'method' }),
  },
  examples: [
    { type: 'coffer logs -f --level warn', says: 'warnings and errors as they come' },
    { type: 'coffer logs --since 1h --user ana-lovelace', says: 'what was said of an account in the last hour' },
    { type: 'coffer logs --json -n 1000 | jq .message', says: 'for scripts' },
  ],
  json: 'one object a line: {"time","level","message",…}',
  reach: 'machine',
  offline: true,
  async run({ out, terminal, paths, env, now, commandFor }, { follow, lines = SHOWN, since, level, user, method }) {
    const { loadConfig } = await import('../../../server/config/config.js')
    const config = loadConfig({ file: paths.config, env })
    const path = logPath(paths.log, config)
    if (!existsSync(path) && !follow) {
      throw new CommandError(`There is no log at ${path}.`, { exit: 5, hint: `A node makes it: ${commandFor('start')}` })
    }
    const filter: LogFilter = {
      ...(since === undefined ? {} : { since: now() - since }),
      ...(level === undefined ? {} : { level }),
      ...(user === undefined ? {} : { user }),
      ...(method === undefined ? {} : { method }),
    }
    const isForPerson = terminal.outIsTerminal && !out.json
    const show = ({ text: line, entry }: LogLine): Promise<void> =>
      terminal.write(isForPerson ? logText(entry, terminal.paintOut) : jsonTextLine(line))
    // Follows from where it was before the past was read, so that nothing falls between.
    const over = new AbortController()
    const coming = follow ? addedLines(path, filter, over.signal) : undefined
    const next = coming?.next()
    if (lines > 0) for (const line of await lastLines(path, config.get('logs.keptFiles'), filter, lines)) await show(line)
    if (coming === undefined || next === undefined) return undefined
    const ctrlC = interruption()
    for (let added = await ctrlC.or(next); added !== 'interrupted'; added = await ctrlC.or(coming.next())) {
      if (added.done !== true) await show(added.value)
    }
    over.abort()
    return 130
  },
})
