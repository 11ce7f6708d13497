import { command } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { followFeed } from '../../client/feed.js'
import { accountOf, userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { accessOf, isChosen, methodOf, outcomeOf, recordOptions, sourceOf } from './records.js'

/** `coffer audit follow`. */
export const follow = command({
  path: ['audit', 'follow'],
  summary: 'Follow the calls of an account as they are made',
  description: 'Prints each call once it is answered, until Ctrl-C.',
  options: { ...recordOptions, limit: whole('End after so many', { from: 1 }), user: userOption },
  examples: [
    { type: 'coffer audit follow --failed', says: 'what is refused' },
    { type: 'coffer audit follow --json', says: 'for programs: one record a line' },
  ],
  json: 'NDJSON of event objects',
  offline: false,
  async run({ out, connect }, options): Promise<ExitCode | void> {
    const client = await connect()
    const as = await accountOf(client, options.user)
    let printed = 0
    return followFeed({ client, out, as }, 'node.audit', async (record) => {
      if (!isChosen(record, options)) return undefined
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
