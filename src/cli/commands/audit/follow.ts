import { command } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { followFeed } from '../../client/feed.js'
import { accountOf, userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { joinedLine } from '../../terminal/output/text.js'
import { timeInLine } from '../../terminal/output/timestamps.js'
import { accessOf, matchesFilter, methodOf, outcomeOf, recordOptions, sourceOf } from './records.js'

/** `coffer audit follow`. */
export const follow = command({
  path: ['audit', 'follow'],
  summary: 'Follow API calls on an account in real time',
  description: 'Prints each call when it completes, until interrupted with Ctrl-C. In a pipe: time, access, method, result and source, separated by tabs.',
  options: { ...recordOptions, limit: whole('Exit after this many records', { from: 1 }), user: userOption },
  examples: [
    { type: 'coffer audit follow --failed', description: 'show only failed calls' },
    { type: 'coffer audit follow --json', description: 'one JSON record per line, for programs' },
  ],
  json: 'NDJSON of event objects',
  offline: false,
  async run({ out, connect, terminal }, options): Promise<ExitCode | void> {
    const client = await connect()
    const as = await accountOf(client, options.user)
    let printed = 0
    return followFeed({ client, out, as }, 'node.audit', async (record) => {
      if (!matchesFilter(record, options)) return undefined
      if (out.json) await out.item(record)
      else await out.data(`${out.quiet ? textOf(record['id']) : recordLine(record, terminal.outIsTerminal)}\n`)
      printed += 1
      return printed === options.limit ? 'enough' : undefined
    })
  },
})

function recordLine(record: Record_, isTerminal: boolean): string {
  const time = timeInLine(numberOf(record['time']) ?? 0, isTerminal)
  return joinedLine([time, accessOf(record), methodOf(record), outcomeOf(record), sourceOf(record)], isTerminal)
}
