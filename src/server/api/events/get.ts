import * as z from 'zod'
import { scanAudit } from '../../../store/accounts/audit.js'
import type { Snapshot } from '../../../store/engine/database.js'
import { scanDeletions, type DeletionQuery } from '../../../store/events/deletionQuery.js'
import { scanEvents, type EventQuery } from '../../../store/events/eventQuery.js'
import { accessIdOf } from '../../../store/model/access.js'
import { isAuditId } from '../../../store/model/auditStreams.js'
import {
  parseStreamsQuery,
  resolveStreamsQuery,
  type ResolvedStreamsQuery,
} from '../../../store/model/streamsQuery.js'
import { mergedByTime, sliced } from '../../../store/events/mergeSorted.js'
import { scanSharedSecrets, withoutSecrets } from '../../../store/accesses/sharedSecrets.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { completeList, RawList } from '../../call/results.js'
import { mayRead } from '../../../store/model/permission.js'
import { ACCOUNT_ROOT, DB_DOCUMENTS } from '../../../store/model/systemStreams.js'
import { refreshStorageUsed } from '../shared/noteStorageUsed.js'
import { accountStreamsOf } from '../shared/accountStreams.js'
import { auditScope } from '../../audit/scope.js'
import { filterShape, conditionsFilter, typeFilter } from './filterInput.js'
import { MAX_REMEMBERED_SIZE, type RememberedList, type QueryCacheDeps } from './queryCache.js'
import { readTokenAdder } from '../../auth/readToken.js'
import { DeletionView, EventView } from './schema.js'

const MAX_RESULTS = 100000
const DEFAULT_LIMIT = 20
/** Maximum number of events in a cached answer. */
const MAX_REMEMBERED = 1000
const DAY = 86400
/** A window that ends more than this many seconds ago does not include the present. */
const PRESENT = 5

const Query = z.strictObject({
  fromTime: z.number().optional().describe('Earliest time, in seconds since 1970; default: one day before toTime if that is set.'),
  toTime: z.number().optional().describe('Latest time, in seconds since 1970; default now, if fromTime is set.'),
  ...filterShape,
  tags: z.array(z.string()).optional().describe('Deprecated: only events with one of these tags.'),
  running: z.boolean().optional().describe('true: only events in progress (duration null).'),
  sortAscending: z.boolean().optional().describe('true: oldest first; default false.'),
  skip: z.int().min(0).max(MAX_RESULTS).optional().describe('Number of events to skip; default 0.'),
  limit: z.int().min(0).max(MAX_RESULTS).optional().describe('Maximum number of events; default 20, without limit if fromTime or toTime is set.'),
  state: z.enum(['default', 'trashed', 'all']).optional().describe('default, trashed or all; default leaves out trashed events.'),
  modifiedSince: z.number().optional().describe('Only events changed after this time, in seconds since 1970.'),
  includeDeletions: z.boolean().optional().describe('Include deleted events; with modifiedSince. Default false.'),
  auth: z.string().optional(),
})

type EventsQuery = z.output<typeof Query>

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
  output: z.object({
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
  run(call: Call<QueryCacheDeps>, input) {
    if (!asksForStorage(call, input)) return foundEvents(call, input)
    return refreshStorageUsed(call.node, call.account).catch(() => undefined).then(() => foundEvents(call, input))
  },
})

/** Account streams that show the size of records, with those above them. */
const STORAGE_STREAMS: ReadonlySet<string> = new Set([ACCOUNT_ROOT, ':_system:storageUsed', DB_DOCUMENTS].flatMap((id) => [id, `${id}!`]))

/** Checks the text of a query before it is parsed, which most queries are spared. */
const namesSystemStream = (streams: unknown): boolean =>
  (typeof streams === 'string' ? streams : JSON.stringify(streams)).includes('system:')

/** Checks whether a query names the stream of the size of records, which is measured before it is shown. */
function asksForStorage({ caller, account, origin }: Call, { streams }: EventsQuery): boolean {
  if (streams === undefined || !namesSystemStream(streams) || !mayRead(caller.scope, DB_DOCUMENTS, account.tree)) return false
  const transport = origin.transport === 'http' ? 'query' : 'json'
  return parseStreamsQuery(streams, transport).some(({ any }) => any.some((id) => STORAGE_STREAMS.has(id)))
}

/** Returns the events of a query. */
function foundEvents(call: Call<QueryCacheDeps>, input: EventsQuery): Promise<Result> | Result {
  const { skip = 0, sortAscending: ascending = false, modifiedSince } = input
  const isBounded = input.fromTime !== undefined || input.toTime !== undefined
  const limit = input.limit ?? (isBounded ? Infinity : DEFAULT_LIMIT)
  const slice = { skip, limit, ascending }
  const deletions: DeletionQuery | undefined =
    input.includeDeletions === true && modifiedSince !== undefined
      ? { since: modifiedSince, ...slice, ...untilDisconnect(call) }
      : undefined
  // Without time bounds, an answer only depends on the state of the account and the access.
  const isSmall = limit <= Math.min(MAX_REMEMBERED, call.node.config.get('limits.batch.maxTotalItems'))
  if (isBounded || !isSmall) return answered(call, planOf(call, input, slice), deletions)
  return cachedAnswer(call, input, slice, deletions)
}

interface Slice {
  skip: number
  limit: number
  ascending: boolean
}

function answered(call: Call, plan: Plan, deletions: DeletionQuery | undefined): Promise<Result> | Result {
  if (plan.audit === undefined) return listsOf(call, plan, deletions)
  // Pending audit records of earlier calls must be written before they are read.
  return call.node.audit.settled(call.account).then(() => listsOf(call, plan, deletions))
}

function cachedAnswer(
  call: Call<QueryCacheDeps>,
  input: EventsQuery,
  slice: Slice,
  deletions: DeletionQuery | undefined,
): Promise<Result> | Result {
  const { account, node, caller } = call
  const { version } = account
  const query = `${accessIdOf(caller.access)}/${JSON.stringify(input)}`
  const known = node.queryCache.get(account, query, version)
  if (known === undefined) {
    const plan = planOf(call, input, slice)
    // Audit records and secrets do not change the version of the account.
    if (plan.audit !== undefined || plan.secrets !== undefined) return answered(call, plan, deletions)
    const remember = (lists: readonly RememberedList[]): void => {
      if (version === account.version) node.queryCache.put(account, query, version, { lists, scope: plan.scope })
    }
    return listsOf(call, plan, deletions, remember)
  }
  const [events, deleted] = known.lists
  call.trail?.recordRead(events?.count ?? 0, known.scope)
  const result: Result = { events: knownList(events) }
  if (deleted !== undefined) result['eventDeletions'] = knownList(deleted)
  return result
}

const knownList = (list: RememberedList | undefined): RawList => completeList([], list?.joined ?? '', list?.count ?? 0)

/**
 * Returns the lists of an answer, read while it is sent. Both are read in sequence from one snapshot, which is closed after the
 * last one, or when the client disconnects. `remember` gets both, each joined by commas, when they are small.
 */
function listsOf(
  call: Call,
  plan: Plan,
  deletions: DeletionQuery | undefined,
  remember?: (lists: readonly RememberedList[]) => void,
): Result {
  const { account, trail } = call
  let snapshot: Snapshot | undefined
  const lists: RememberedList[] = []
  async function* read(
    pages: (time: Snapshot) => AsyncGenerator<string[]>,
    isLast: boolean,
  ): AsyncGenerator<string[]> {
    const time = (snapshot ??= account.db.snapshot())
    let isRead = false
    try {
      yield* remember === undefined ? pages(time) : collecting(pages(time), (list) => void lists.push(list))
      isRead = true
    } finally {
      if (isLast || !isRead) await time.close()
    }
    if (isLast && lists.length === (deletions === undefined ? 1 : 2)) remember?.(lists)
  }
  const events = read((time) => withReadTokens(call, planned(call, plan, time)), deletions === undefined)
  const result: Result = { events: new RawList(trail === undefined ? events : trail.counting(events, plan.scope)) }
  if (deletions !== undefined) {
    result['eventDeletions'] = new RawList(read((time) => scanDeletions(account, deletions, time), true))
  }
  return result
}

/** Adds the members that depend on the reader, such as read tokens. */
async function* withReadTokens(call: Call, pages: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  const show = readTokenAdder(call)
  for await (const page of pages) {
    for (const [at, record] of page.entries()) page[at] = show(record)
    yield page
  }
}

/** Passes pages through; at the end, calls `note` with the combined list, unless it is too large to cache. */
async function* collecting(pages: AsyncIterable<string[]>, note: (list: RememberedList) => void): AsyncGenerator<string[]> {
  const records: string[] = []
  let size = 0
  for await (const page of pages) {
    for (const record of page) {
      size += record.length
      if (size <= MAX_REMEMBERED_SIZE) records.push(record)
      else records.length = 0
    }
    yield page
  }
  if (size <= MAX_REMEMBERED_SIZE) note({ joined: records.join(','), count: records.length })
}

/** Parts of a query: events of the account and, where selected, audit records and secrets. */
interface Plan {
  events: EventQuery
  audit?: EventQuery
  secrets?: EventQuery
  /** The scope of the query for the audit record of this call. */
  scope: string
}

function planOf(call: Call, input: EventsQuery, slice: Slice): Plan {
  const scan = scanOf(call, input, slice)
  const scope = call.trail === undefined ? '' : auditScope(scan.streams)
  const audit = scan.streams.filter(isOfAudit)
  const local = scan.streams.filter((query) => !isOfAudit(query))
  const events = withoutSecrets(local)
  return {
    events: { ...scan, streams: events },
    ...(audit.length === 0 ? {} : { audit: { ...scan, streams: audit } }),
    ...(events === local ? {} : { secrets: { ...scan, streams: local } }),
    scope,
  }
}

/** Checks whether a query selects audit records; its streams belong to one store. */
function isOfAudit({ any }: ResolvedStreamsQuery): boolean {
  if (!(any instanceof Set)) return false
  for (const id of any as ReadonlySet<string>) return isAuditId(id)
  return false
}

/** Yields the pages of a plan, with skip and limit applied. */
function planned({ account, node }: Call, { events, audit, secrets }: Plan, time: Snapshot): AsyncGenerator<string[]> {
  if (audit === undefined && secrets === undefined) return scanEvents(account, events, time)
  const { skip, limit, ascending } = events
  let found = scanEvents(account, { ...events, skip: 0, limit: skip + limit }, time)
  if (audit !== undefined) found = mergedByTime(found, scanAudit(account, audit, time), ascending)
  if (secrets !== undefined) {
    found = mergedByTime(found, scanSharedSecrets(account, node.store.seal, secrets, time), ascending)
  }
  return sliced(found, skip, limit)
}

function scanOf(call: Call, input: EventsQuery, slice: Slice): EventQuery {
  const { account, caller, node } = call
  const state = input.state ?? 'default'
  const transport = call.origin.transport === 'http' ? 'query' : 'json'
  const conditions = conditionsFilter(input)
  const tags = input.tags === undefined ? undefined : new Set(input.tags)
  const scan: EventQuery = {
    runningOnly: input.running === true,
    streams: resolveStreamsQuery(parseStreamsQuery(input.streams, transport), {
      scope: caller.scope,
      tree: account.tree,
      state,
      systemStreams: accountStreamsOf(node.systemStreams),
    }),
    state,
    ...slice,
    ...untilDisconnect(call),
  }
  const window = windowOf(input, node.clock.now())
  if (window !== undefined) scan.window = window
  if (input.types !== undefined) scan.types = typeFilter(input.types)
  if (input.modifiedSince !== undefined) scan.modifiedSince = input.modifiedSince
  if (conditions !== undefined || tags !== undefined) {
    scan.accepts = (event) =>
      (conditions === undefined || conditions(event)) &&
      (tags === undefined || event.tags.some((tag) => tags.has(tag)))
  }
  return scan
}

/** Stops a scan after the client disconnects. */
const untilDisconnect = ({ origin: { reader } }: Call): Pick<EventQuery, 'assertConnected'> =>
  reader === undefined ? {} : { assertConnected: reader.assertConnected }

function windowOf(input: EventsQuery, now: number): EventQuery['window'] {
  if (input.fromTime === undefined && input.toTime === undefined) return undefined
  const to = input.toTime ?? now
  const from = input.fromTime ?? to - DAY
  return { from, to, includeRunning: from <= now - PRESENT && to >= now - PRESENT }
}
