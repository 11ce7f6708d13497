import { isPeopleEvent } from '../../../store/model/peopleStreams.js'
import { command } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { feedOf, nodeStopped } from '../../client/feed.js'
import { interruption } from '../../client/interruption.js'
import { idsOf, streamWithBelow } from '../../client/streams.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, whole } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { contentText, eventOf, streamsText } from './fields.js'
import { filterOptions, SYSTEM_RECORDS } from './query.js'
import { assertTypesKnown, otherTypes } from './types.js'

/** Number of events requested in one call; more wait for the next call. */
const maxAtOnce = 100

/** `coffer events watch`. */
export const watch = command({
  path: ['events', 'watch'],
  summary: 'Follow new and changed events of an account',
  description:
    'Prints each event when it is created or changed, until interrupted with Ctrl-C. For a deleted event only the id and the time of deletion are printed, and only without --stream and --type. Events of the system are left out unless --stream names their stream or --all is given.\n\nAn event that changes several times in quick succession may be printed once.',
  options: {
    stream: filterOptions.stream,
    type: filterOptions.type,
    all: flag(`Include events of the system: ${SYSTEM_RECORDS}`),
    limit: whole('Exit after this many events', { from: 1 }),
    user: userOption,
  },
  examples: [
    { type: 'coffer events watch --stream heart', description: 'follow the stream heart' },
    { type: 'coffer events watch --json', description: 'one JSON event per line, for programs' },
  ],
  json: 'NDJSON of event objects; {"id","deleted",…} for deleted ones',
  offline: false,
  async run({ out, connect, commandFor }, { stream, type, all, limit, user }): Promise<ExitCode | void> {
    const client = await connect()
    const as = await accountOf(client, user)
    await assertTypesKnown(client, as, type, otherTypes({ commandFor }))
    const filter = await createFilter(client, as, { streams: stream, types: type, all })
    const lines = feedOf(client, 'node.events', as)
    const ctrlC = interruption()
    out.note('Watching; press Ctrl-C to stop')

    /** Ids of events that changed and are not printed yet, in order. */
    const changed = new Set<string>()
    let printed = 0
    let next = lines.next()
    for (;;) {
      const line = await ctrlC.or(changed.size > 0 ? orTimeout(next) : next)
      if (line === 'interrupted') return 130
      if (line !== 'nothing yet') {
        if (line.done === true) throw nodeStopped()
        next = lines.next()
        // The error is thrown when the feed is read next.
        next.catch(() => undefined)
        const change = recordOf(line.value)
        if (change['kind'] === 'event') changed.add(textOf(change['id']))
        if (change['kind'] === 'stream') await filter.refresh()
        if (changed.size < maxAtOnce) continue
      }
      for (const event of await fetchEvents(client, as, [...changed])) {
        if (!filter.accepts(event)) continue
        if (out.json) await out.item(event)
        else await out.line(out.quiet ? textOf(event['id']) : eventLine(event))
        printed += 1
        if (printed === limit) return undefined
      }
      changed.clear()
    }
  },
})

/** Resolves with the next item, or `nothing yet` after 5 ms, so that changes that arrive together are fetched together. */
function orTimeout<T>(next: Promise<T>): Promise<T | 'nothing yet'> {
  return Promise.race([next, new Promise<'nothing yet'>((resolve) => setTimeout(resolve, 5, 'nothing yet'))])
}

async function fetchEvents(client: NodeClient, as: Authority, ids: readonly string[]): Promise<Record_[]> {
  const calls = ids.map((id) => ({ method: 'events.getOne', params: { id } }))
  const { results } = await client.call('callBatch', calls, as)
  // Events that were deleted completely in the meantime have nothing to print.
  return listOf(results).flatMap((result) => ('event' in result ? [eventOf(result)] : []))
}

interface EventFilter {
  accepts(event: Record_): boolean
  /** Refreshes the set of streams; call it after streams have changed. */
  refresh(): Promise<void>
}

async function createFilter(
  client: NodeClient,
  as: Authority,
  { streams, types, all }: { streams: readonly string[]; types: readonly string[]; all: boolean },
): Promise<EventFilter> {
  const selected = await Promise.all(streams.map((id) => streamWithBelow(client, as, id)))
  let wanted = new Set(selected.flatMap(idsOf))
  const ofType = (type: string): boolean =>
    types.some((each) => (each.endsWith('/*') ? type.startsWith(each.slice(0, -1)) : each === type))
  return {
    refresh: async () => {
      // A stream deleted in the meantime has no further events.
      const remaining = await Promise.all(streams.map((id) => streamWithBelow(client, as, id).catch(() => ({}))))
      wanted = new Set(remaining.flatMap(idsOf))
    },
    accepts: (event) => {
      const ids = Array.isArray(event['streamIds']) ? event['streamIds'].map(textOf) : []
      // Deletions name no streams.
      const inStream = streams.length === 0 ? all || ids.length === 0 || isPeopleEvent(ids) : ids.some((id) => wanted.has(id))
      return inStream && (types.length === 0 || ofType(textOf(event['type'])))
    },
  }
}

function eventLine(event: Record_): string {
  const deleted = numberOf(event['deleted'])
  if (deleted !== undefined) return `${when(deleted)}  deleted  ${textOf(event['id'])}`
  const mark = event['trashed'] === true ? '  (in the trash)' : ''
  const parts = [streamsText(event), textOf(event['type']), contentText(event['content']), textOf(event['id'])]
  return `${when(numberOf(event['time']) ?? 0)}  ${parts.filter((part) => part !== '').join('  ')}${mark}`
}
