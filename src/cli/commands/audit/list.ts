import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'
import { eventsOf } from '../events/eventText.js'
import { filterOptions, within } from '../events/query.js'
import { accessOf, methodOf, outcomeOf, queryOf, recordOptions, sourceOf } from './records.js'

const DEFAULT_LIMIT = 20

/** `coffer audit list`. */
export const list = command({
  path: ['audit', 'list'],
  summary: 'List API calls on an account, newest first',
  description:
    'Every call by an app or a person creates an audit record, including failed calls and this command. Without --from, the latest 20 are shown; use --limit for more.\n\nThe access "invalid" stands for calls with an unknown token (one record per client address, method and minute), "valid-password" for logins, and "system" for the command line.',
  options: {
    ...recordOptions,
    from: { ...filterOptions.from, summary: 'Only calls at or after this time' },
    to: { ...filterOptions.to, summary: 'Only calls at or before this time' },
    limit: whole('Maximum number of records', { to: 100_000 }),
    user: userOption,
  },
  examples: [
    { type: 'coffer audit list', description: 'the latest 20 calls' },
    { type: 'coffer audit list --failed --from -1d', description: 'failed calls of the last day' },
    { type: 'coffer audit list --access invalid --from -7d', description: 'attempts with unknown tokens' },
    { type: "coffer audit list --method events.get --jq '.events[].content'", description: 'print the contents as JSON' },
  ],
  json: '{"events":[…]}, the result of events.get',
  offline: true,
  async run({ out, connect }, options) {
    const { limit, from, to } = options
    const max = limit ?? (from === undefined ? DEFAULT_LIMIT : undefined)
    const query = {
      ...queryOf(options),
      ...(from === undefined && to === undefined ? {} : within(options)),
      ...(max === undefined ? {} : { limit: max }),
    }
    const client = await connect()
    const as = await accountOf(client, options.user)
    const answer = await client.call('events.get', query, as)
    const records = eventsOf(answer)
    const words = counted(records.length, 'call')
    await out.list(answer, {
      columns: [
        { title: 'TIME', time: (record) => record['time'] },
        { title: 'ACCESS', cell: accessOf },
        { title: 'METHOD', cell: methodOf, shrinks: true },
        { title: 'RESULT', cell: outcomeOf, shrinks: true },
        { title: 'FROM', cell: sourceOf, shrinks: true, drops: true },
        { title: 'ID', cell: (record) => textOf(record['id']), drops: true },
      ],
      rows: records,
      id: (record) => textOf(record['id']),
      count: records.length === max ? `${words}; use --limit to see more` : words,
    })
    if (out.json || out.quiet || records.length === max) return
    const since = ((await client.call('audit.retention', { username: as.user }, {})).since ?? undefined)
    if (since !== undefined && (query.fromTime ?? -Infinity) < since) out.note(`Records before ${when(since)} were removed (setting audit.retention)`)
  },
})
