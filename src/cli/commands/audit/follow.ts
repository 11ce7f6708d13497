import { command } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { followFeed } from '../../client/feed.js'
import { accountOf, userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { accessOf, matchesFilter, methodOf, outcomeOf, recordOptions, sourceOf } from './records.js'

/** `coffer audit follow`. */
export const follow = command({
  path: ['audit', 'follow'],
  summary: 'Follow API calls on an account in real time',
  description: 'Prints each call when it completes, until interrupted with Ctrl-C.',
  options: { ...recordOptions, limit: whole('Exit after this many records', { from: 1 }), user: userOption },
  examples: [
    { type: 'coffer audit follow --failed', description: 'show only failed calls' },
    { type: 'coffer audit follow --json', description: 'one JSON record per line, for programs' },
  ],
  json: 'NDJSON of event objects',
  offline: false,
  async run({ out, connect }, options): Promise<ExitCode | void> {
    const client = await connect()
    const as = await accountOf(client, options.user)
    let printed = 0
    return followFeed({ client, out, as }, 'node.audit', async (record) => {
      if (!matchesFilter(record, options)) return undefined
      if (out.json) await out.item(record)
      else await out.line(out.quiet ? textOf(record['id']) : recordLine(record))
      printed += 1
      return printed === options.limit ? 'enough' : undefined
    })
  },
})

function recordLine(record: Record_): string {
  const parts = [accessOf(record), methodOf(record), outcomeOf(record), sourceOf(record)]
  return `${when(numberOf(record['time']) ?? 0)}  ${parts.filter((part) => part !== '').join('  ')}`
}
