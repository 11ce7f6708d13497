import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { choice, flag, whole } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { eventsOf, streamsText, valueText } from './eventText.js'
import { filterOptions, matching, SYSTEM_RECORDS, within } from './query.js'
import { assertTypesKnown, otherTypes } from './types.js'

const DEFAULT_LIMIT = 20

/** `coffer events list`. */
export const list = command({
  path: ['events', 'list'],
  summary: 'List events, the newest first',
  description:
    'Without --from, the latest 20 events are listed; use --limit for more. With --from, all events since then are listed.\n\nEvents of the system (account fields, messages and consents) are left out, also with --json and in counts, unless --stream names their stream or --all is given; audit records are listed by coffer audit list.\n\nTimes are seconds since 1970, ISO 8601, today, yesterday, or relative to now: -2h, -7d. Events with attached files show the names of these. In a pipe, event times are ISO 8601 and no text is cut off.',
  options: {
    ...filterOptions,
    limit: whole('Maximum number of events', { to: 100_000 }),
    skip: whole('Number of events to skip', { to: 100_000 }),
    all: flag(`Include trashed events, and those of the system: ${SYSTEM_RECORDS}`),
    state: choice(['default', 'trashed', 'all'], 'Trashed events: leave out (default), only these, or all'),
    ascending: flag('Oldest first'),
    running: flag('Only events that have not ended'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events list', description: 'the latest 20' },
    { type: 'coffer events list --stream heart --from -7d', description: 'the last seven days of the stream heart' },
    { type: 'coffer events list --type mass/kg --from 2026-01-01 --to 2026-02-01 --ascending', description: 'a month of weight' },
    { type: 'coffer events list --stream :_system:account', description: 'account fields' },
    { type: 'coffer events list --fields time,content --limit 100', description: 'times and contents as JSON' },
    { type: "coffer events list --from today --jq '.events[].content'", description: 'print the contents only' },
  ],
  json: '{"events":[…]}, the result of events.get',
  offline: true,
  async run({ out, connect, commandFor }, options) {
    const { limit, skip, ascending, running, from, to, all } = options
    const state = options.state ?? (all ? 'all' : undefined)
    const max = limit ?? (from === undefined ? DEFAULT_LIMIT : undefined)
    const query = {
      ...matching(options),
      ...(from === undefined && to === undefined ? {} : within(options)),
      ...(max === undefined ? {} : { limit: max }),
      ...(skip === undefined ? {} : { skip }),
      ...(state === undefined ? {} : { state }),
      ...(ascending ? { sortAscending: true } : {}),
      ...(running ? { running: true } : {}),
    }
    const client = await connect()
    const as = await authorityOf(client, options)
    const answer = await client.call('events.get', query, as)
    const events = eventsOf(answer)
    if (events.length === 0) await assertTypesKnown(client, as, options.type, otherTypes({ commandFor }))
    const words = counted(events.length, 'event')
    await out.list(answer, {
      columns: [
        { title: 'TIME', time: (event) => event['time'] },
        { title: 'STREAMS', cell: streamsText, shrinks: true },
        { title: 'TYPE', cell: (event) => textOf(event['type']), shrinks: true },
        { title: 'CONTENT', cell: valueText, shrinks: true },
        { title: 'ID', cell: (event) => textOf(event['id']) },
      ],
      rows: events,
      id: (event) => textOf(event['id']),
      count: events.length === max ? `${words}; use --limit to see more` : words,
    })
  },
})
