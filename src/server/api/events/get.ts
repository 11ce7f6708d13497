import * as z from 'zod'
import { scanDeletions, type DeletionQuery } from '../../../store/events/deletionQuery.js'
import { isPast } from '../../../store/events/eventFilter.js'
import type { EventPageDeps } from '../../../store/events/eventPageCache.js'
import { eventsAtOnce, openSources, type EventSources } from '../../../store/events/eventQuery.js'
import { accessIdOf } from '../../../store/model/access.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { completeList, RawList } from '../../call/results.js'
import { refreshStorageUsed } from '../shared/noteStorageUsed.js'
import { filterShape } from './filterInput.js'
import { asksForStorage, planned, planOf, queryShape, untilDisconnect, type Plan, type Slice, type TimeSpan } from './plan.js'
import type { Collection, QueryCacheDeps, RememberedList } from './queryCache.js'
import { readTokenAdder } from '../../auth/readToken.js'
import { DeletionView, EventView } from './schema.js'

const MAX_RESULTS = 100000
const DEFAULT_LIMIT = 20
const DAY = 86400

const Query = z.strictObject({
  fromTime: z.number().optional().describe('Earliest time, in seconds since 1970; default: one day before toTime if that is set.'),
  toTime: z.number().optional().describe('Latest time, in seconds since 1970; default now, if fromTime is set.'),
  ...filterShape,
  tags: queryShape.tags,
  running: queryShape.running,
  sortAscending: z.boolean().optional().describe('true: oldest first; default false.'),
  skip: z.int().min(0).max(MAX_RESULTS).optional().describe('Number of events to skip; default 0.'),
  limit: z.int().min(0).max(MAX_RESULTS).optional().describe('Maximum number of events; default 20, without limit if fromTime or toTime is set.'),
  state: queryShape.state,
  modifiedSince: queryShape.modifiedSince,
  includeDeletions: z.boolean().optional().describe('Include deleted events; with modifiedSince. Default false.'),
  auth: z.string().optional(),
})

type EventsQuery = z.output<typeof Query>
type QueryDeps = QueryCacheDeps & EventPageDeps

/** The method events.get (docs/interface/events.md#queries). */
export const get = method({
  id: 'events.get',
  summary: 'Finds events by streams, types, time, content and state.',
  http: {
    verb: 'GET',
    path: '/events',
    query: {
      fromTime: 'number',
      toTime: 'number',
      types: 'array',
      tags: 'array',
      running: 'boolean',
      sortAscending: 'boolean',
      skip: 'number',
      limit: 'number',
      modifiedSince: 'number',
      includeDeletions: 'boolean',
    },
  },
  caller: anyAccess,
  input: Query,
  output: () => z.object({
    events: z.array(EventView).describe('The events, newest first unless sortAscending.'),
    eventDeletions: z.array(DeletionView).optional().describe('Deleted events.'),
  }),
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'unknown-referenced-resource',
    'forbidden',
    'too-many-results',
  ],
  run(call: Call<QueryDeps>, input) {
    if (!asksForStorage(call, input)) return foundEvents(call, input)
    return refreshStorageUsed(call.node, call.account).catch(() => undefined).then(() => foundEvents(call, input))
  },
})

/** Returns the events of a query. */
function foundEvents(call: Call<QueryDeps>, input: EventsQuery): Promise<Result> | Result {
  const { skip = 0, sortAscending: ascending = false, modifiedSince } = input
  const isBounded = input.fromTime !== undefined || input.toTime !== undefined
  const limit = input.limit ?? (isBounded ? Infinity : DEFAULT_LIMIT)
  const slice = { skip, limit, ascending }
  const deletions: DeletionQuery | undefined =
    input.includeDeletions === true && modifiedSince !== undefined
      ? { since: modifiedSince, ...slice, ...untilDisconnect(call) }
      : undefined
  const now = call.node.clock.now()
  const window = windowOf(input, now)
  // Without time bounds, or about a past time, an answer only depends on the state of the account and the access.
  if (window === undefined || isPast(window.to, now)) return cachedAnswer(call, input, slice, window, deletions)
  return answered(call, planOf(call, input, slice, window), deletions)
}

function answered(call: Call<EventPageDeps>, plan: Plan, deletions: DeletionQuery | undefined): Promise<Result> | Result {
  if (plan.audit === undefined) return listsOf(call, plan, deletions)
  // Pending audit records of earlier calls must be written before they are read.
  return call.node.audit.settled(call.account).then(() => listsOf(call, plan, deletions))
}

function cachedAnswer(
  call: Call<QueryDeps>,
  input: EventsQuery,
  slice: Slice,
  window: TimeSpan | undefined,
  deletions: DeletionQuery | undefined,
): Promise<Result> | Result {
  const { account, node, caller } = call
  const { version } = account
  const query = `${accessIdOf(caller.access)}/${JSON.stringify(input)}`
  const known = node.queryCache.get(account, query, version)
  if (known === undefined) {
    const plan = planOf(call, input, slice, window)
    // Audit records and secrets do not change the version of the account.
    if (plan.audit !== undefined || plan.secrets !== undefined) return answered(call, plan, deletions)
    const collection = node.queryCache.collectionOf(account, query, version, window !== undefined)
    const remember = (lists: readonly RememberedList[]): void => {
      if (version === account.version) node.queryCache.put(account, query, version, { lists, scope: plan.scope })
    }
    return listsOf(call, plan, deletions, collection === undefined ? undefined : { ...collection, remember })
  }
  const [events, deleted] = known.lists
  call.trail?.recordRead(events?.count ?? 0, known.scope)
  const result: Result = { events: knownList(events) }
  if (deleted !== undefined) result['eventDeletions'] = knownList(deleted)
  return result
}

/** Returns a cached list; its records are cut out of the joined text only for a reader of records. */
function knownList({ joined, count, ends = NO_ENDS }: RememberedList = NO_LIST): RawList {
  async function* pages(): AsyncGenerator<string[]> {
    yield Array.from(ends, (end, at) => joined.slice(at === 0 ? 0 : (ends[at - 1] ?? 0) + 1, end))
  }
  return new RawList(pages(), joined, count)
}

const NO_ENDS = new Uint32Array(0)
const NO_LIST: RememberedList = { joined: '', count: 0 }

/** Collection of an answer, with what receives its lists. */
type Collecting = Collection & { remember(lists: readonly RememberedList[]): void }

/**
 * Returns the lists of an answer, read while it is sent. Both are read in sequence from one snapshot, which is closed after the
 * last one, or when the client disconnects. `collecting` remembers both, each joined by commas.
 */
function listsOf(
  call: Call<EventPageDeps>,
  plan: Plan,
  deletions: DeletionQuery | undefined,
  collecting?: Collecting,
): Result {
  const { account, node, trail } = call
  if (deletions === undefined && plan.audit === undefined && plan.secrets === undefined) {
    const records = eventsAtOnce(account, plan.events, node)
    if (records !== undefined) return listAtOnce(call, plan, records, collecting)
  }
  let sources: EventSources | undefined
  const lists: RememberedList[] = []
  async function* read(
    pages: (open: EventSources) => AsyncGenerator<string[]>,
    isLast: boolean,
  ): AsyncGenerator<string[]> {
    const open = (sources ??= openSources(account, plan.events, node))
    const ends = collecting?.begin()
    let isRead = false
    try {
      yield* collecting === undefined || ends === undefined ? pages(open) : collected(pages(open), collecting, (list) => void lists.push(list))
      isRead = true
    } finally {
      ends?.()
      if (isLast || !isRead) await open.close()
    }
    if (isLast && lists.length === (deletions === undefined ? 1 : 2)) collecting?.remember(lists)
  }
  const events = read((open) => withReadTokens(call, planned(call, plan, open)), deletions === undefined)
  const result: Result = { events: new RawList(trail === undefined ? events : trail.counting(events, plan.scope)) }
  if (deletions !== undefined) {
    result['eventDeletions'] = new RawList(read(({ snapshot }) => scanDeletions(account, deletions, snapshot), true))
  }
  return result
}

/** Returns the answer with all of its records, which is complete before it is sent. */
function listAtOnce(call: Call, { scope }: Plan, records: readonly string[], collecting: Collecting | undefined): Result {
  const shown = records.map(readTokenAdder(call))
  call.trail?.recordRead(shown.length, scope)
  const list = rememberedList(shown)
  if (collecting !== undefined && list.joined.length <= collecting.most) collecting.remember([list])
  else collecting?.exceeded()
  return { events: completeList(shown, list.joined) }
}

/** Adds the members that depend on the reader, such as read tokens. */
async function* withReadTokens(call: Call, pages: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  const show = readTokenAdder(call)
  for await (const page of pages) {
    // Not by entries(), which took a sixteenth of the time of a large answer.
    for (let at = 0; at < page.length; at++) page[at] = show(page[at] ?? '')
    yield page
  }
}

/** Passes pages through; at the end, calls `note` with the combined list, unless it is too large. */
async function* collected(
  pages: AsyncIterable<string[]>,
  { most, exceeded }: Pick<Collection, 'most' | 'exceeded'>,
  note: (list: RememberedList) => void,
): AsyncGenerator<string[]> {
  const records: string[] = []
  let size = 0
  for await (const page of pages) {
    if (size <= most) {
      for (const record of page) size += record.length
      if (size <= most) for (const record of page) records.push(record)
      else {
        records.length = 0
        exceeded()
      }
    }
    yield page
  }
  if (size <= most) note(rememberedList(records))
}

function rememberedList(records: readonly string[]): RememberedList {
  let end = -1
  const ends = Uint32Array.from(records, ({ length }) => (end += length + 1))
  return { joined: records.join(','), count: records.length, ends }
}

/** Returns the times that a query asks for; undefined for all. */
function windowOf({ fromTime, toTime }: EventsQuery, now: number): TimeSpan | undefined {
  if (fromTime === undefined && toTime === undefined) return undefined
  const to = toTime ?? now
  return { from: fromTime ?? to - DAY, to }
}
