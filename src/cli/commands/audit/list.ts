import { command } from '../../command.js'
import { numberOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'
import { eventsOf } from '../events/fields.js'
import { choiceOptions, within } from '../events/query.js'
import { accessOf, methodOf, outcomeOf, queryOf, recordOptions, sourceOf } from './records.js'

const usualLimit = 20

/** `coffer audit list`. */
export const list = command({
  path: ['audit', 'list'],
  summary: 'List the calls of an account, the latest first',
  description:
    'Every call by an app or a person leaves a record, failed ones too; so does this command. Without --from, at most 20 are shown; --limit changes that.\n\nThe access "invalid" stands for calls with an unknown token, which share a record for each client address, method and minute, "valid-password" for logins, "system" for the command line.',
  options: {
    ...recordOptions,
    from: { ...choiceOptions.from, summary: 'Only calls at or after this' },
    to: { ...choiceOptions.to, summary: 'Only calls at or before this' },
    limit: whole('At most so many', { to: 100_000 }),
    user: userOption,
  },
  examples: [
    { type: 'coffer audit list', says: 'the latest 20 calls' },
    { type: 'coffer audit list --failed --from -1d', says: 'what was refused in the last day' },
    { type: 'coffer audit list --access invalid --from -7d', says: 'who tried unknown tokens' },
    { type: 'coffer audit list --method events.get --json | jq .events[].content', says: 'for programs' },
  ],
  json: '{"events":[…]}, the result of events.get',
  offline: true,
  async run({ out, connect, terminal }, options) {
    const { limit, from, to } = options
    const max = limit ?? (from === undefined ? usualLimit : undefined)
    const query = {
      ...queryOf(options),
      ...(from === undefined && to === undefined ? {} : within(options)),
      ...(max === undefined ? {} : { limit: max }),
    }
    const client = await connect()
    const as = await accountOf(client, options.user)
    const answer = await client.call('events.get', query, as)
    const records = eventsOf(answer)
    const time = (seconds: number): string => (terminal.outIsTerminal ? when(seconds) : String(seconds))
    const words = counted(records.length, 'call')
    await out.list(answer, {
      columns: [
        { title: 'TIME', cell: (record) => time(numberOf(record['time']) ?? 0) },
        { title: 'ACCESS', cell: accessOf },
        { title: 'METHOD', cell: methodOf },
        { title: 'RESULT', cell: outcomeOf },
        { title: 'FROM', cell: sourceOf, shrinks: true },
        { title: 'ID', cell: (record) => textOf(record['id']) },
      ],
      rows: records,
      id: (record) => textOf(record['id']),
      count: records.length === max ? `${words}; more with --limit` : words,
    })
    if (out.json || out.quiet || records.length === max) return
    const since = numberOf((await client.call('audit.retention', { username: as.user }, {}))['since'])
    if (since !== undefined && (query.fromTime ?? -Infinity) < since) out.note(`older records, before ${when(since)}, were removed (audit.retention)`)
  },
})
