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
import { timeOption } from '../../terminal/input/time.js'
import { joinedLine } from '../../terminal/output/text.js'
import { timeInLine } from '../../terminal/output/timestamps.js'
import { eventOf, streamsText, valueText } from './eventText.js'
import { filterOptions, matching, SYSTEM_RECORDS, within } from './query.js'
import { assertTypesKnown, otherTypes } from './types.js'

/** Number of events requested in one call; more wait for the next call. */
const maxAtOnce = 100

/** `coffer events watch`. */
export const watch = command({
  path: ['events', 'watch'],
  summary: 'Follow new and changed events of an account',
  description:
    'Prints each event when it is created or changed, from now on, until interrupted with Ctrl-C. With --from, first prints the events that were created or changed since then, in the order of their times, and those that were deleted. For a deleted event only the id and the time of deletion are printed, and only without --stream and --type. Events of the system are left out unless --stream names their stream or --all is given.\n\nAn event that changes several times in quick succession may be printed once. In a pipe: time, streams, type, content, id, and trashed or deleted, separated by tabs.',
  options: {
    stream: filterOptions.stream,
    type: filterOptions.type,
    from: timeOption('First print what was created or changed since this time'),
    all: flag(`Include events of the system: ${SYSTEM_RECORDS}`),
    limit: whole('Exit after this many events', { from: 1 }),
    user: userOption,
  },
  examples: [
    { type: 'coffer events watch --stream heart', description: 'follow the stream heart' },
    { type: 'coffer events watch --from -1h --limit 100', description: 'what changed in the last hour, then what follows' },
    { type: 'coffer events watch --json', description: 'one JSON event per line, for programs' },
  ],
  json: 'NDJSON of event objects; {"id","deleted",…} for deleted ones',
  offline: false,
  async run({ out, connect, terminal, now, commandFor }, { stream, type, from, all, limit, user }): Promise<ExitCode | void> {
    const client = await connect()
    const as = await accountOf(client, user)
    await assertTypesKnown(client, as, type, otherTypes({ commandFor }))
    const filter = await createFilter(client, as, { streams: stream, types: type, all })
    const lines = feedOf(client, 'node.events', as)
    const ctrlC = interruption()
    const startedAt = now()
    out.note('Watching; press Ctrl-C to stop')

    /** Ids of events that changed and are not printed yet, in order. */
    const changed = new Set<string>()
    let printed = 0
    /** Prints an event; returns true when it is the last one that was asked for. */
    const print = async (event: Record_): Promise<boolean> => {
      if (out.json) await out.item(event)
      else await out.data(`${out.quiet ? textOf(event['id']) : eventLine(event, terminal.outIsTerminal)}\n`)
      printed += 1
      return printed === limit
    }

    let next = lines.next()
    next.catch(() => undefined)
    /** Versions of earlier events that the feed may name too. */
    const seen = new Set<string>()
    if (from !== undefined) {
      const earlier = earlierEvents(client, as, { stream, type, all, from })
      for (;;) {
        const found = await ctrlC.or(earlier.next())
        if (found === 'interrupted') return 130
        if (found.done === true) break
        const { value: event } = found
        if (!filter.accepts(event)) continue
        if ((numberOf(event['modified']) ?? Infinity) >= startedAt) seen.add(versionOf(event))
        if (await print(event)) return undefined
      }
    }
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
        if (!filter.accepts(event) || seen.has(versionOf(event))) continue
        if (await print(event)) return undefined
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

function eventLine(event: Record_, isTerminal: boolean): string {
  const id = textOf(event['id'])
  const deleted = numberOf(event['deleted'])
  if (deleted !== undefined) {
    const time = timeInLine(deleted, isTerminal)
    return joinedLine(isTerminal ? [time, 'deleted', id] : [time, '', '', '', id, 'deleted'], isTerminal)
  }
  const isTrashed = event['trashed'] === true
  const parts = [timeInLine(numberOf(event['time']) ?? 0, isTerminal), streamsText(event), textOf(event['type']), valueText(event, isTerminal), id]
  return joinedLine([...parts, ...(isTrashed ? [isTerminal ? '(in the trash)' : 'trashed'] : [])], isTerminal)
}

const versionOf = ({ id, modified, deleted }: Record_): string => `${textOf(id)} ${textOf(modified ?? deleted)}`

interface EarlierOptions {
  stream: readonly string[]
  type: readonly string[]
  all: boolean
  /** Seconds since the epoch. */
  from: number
}

/** Yields the events that changed since a time, oldest first, then deletions since then. */
async function* earlierEvents(client: NodeClient, as: Authority, { from, ...selection }: EarlierOptions): AsyncGenerator<Record_, void> {
  const changed = { modifiedSince: from, sortAscending: true }
  const query = { ...matching(selection), ...within({ from: undefined, to: undefined }), ...changed, state: 'all' }
  for await (const texts of client.texts('events.get', query, as, 'events')) yield* texts.map((text) => recordOf(JSON.parse(text)))
  // No event is that old: the result has deletions only.
  const deletions = { ...changed, fromTime: -Number.MAX_VALUE, toTime: -Number.MAX_VALUE, includeDeletions: true }
  for await (const texts of client.texts('events.get', deletions, as, 'eventDeletions')) yield* texts.map((text) => recordOf(JSON.parse(text)))
}
