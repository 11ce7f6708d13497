/** Plans of event queries, shared by the methods that read events: the filter with permissions applied, and the stores it selects. */
import * as z from 'zod'
import { scanAudit } from '../../../store/accounts/audit.js'
import { scanSharedSecrets, withoutSecrets } from '../../../store/accesses/sharedSecrets.js'
import { includesPresent } from '../../../store/events/eventFilter.js'
import { scanEvents, type EventQuery, type EventSources } from '../../../store/events/eventQuery.js'
import { mergedByTime, sliced } from '../../../store/events/mergeSorted.js'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { mayRead } from '../../../store/model/permission.js'
import { parseStreamsQuery, type ExpansionContext, type ResolvedStreamsQuery } from '../../../store/model/streamsQuery.js'
import { ACCOUNT_ROOT, DB_DOCUMENTS } from '../../../store/model/systemStreams.js'
import { auditScope } from '../../audit/scope.js'
import type { Call } from '../../call/method.js'
import { accountStreamsOf } from '../shared/accountStreams.js'
import { conditionsFilter, typeFilter } from './filterInput.js'
import { resolvedStreams } from './resolvedStreams.js'

/** Schema members that restrict events, besides those of filterInput.ts. */
export const queryShape = {
  tags: z.array(z.string()).optional().describe('Deprecated: only events with one of these tags.'),
  running: z.boolean().optional().describe('true: only events in progress (duration null).'),
  state: z.enum(['default', 'trashed', 'all']).optional().describe('default, trashed or all; default leaves out trashed events.'),
  modifiedSince: z.number().optional().describe('Only events changed after this time, in seconds since 1970.'),
}

/** Parameters that restrict the events of a query, apart from times. */
export interface Restrictions {
  streams?: unknown
  types?: readonly string[] | undefined
  content?: unknown
  clientData?: unknown
  tags?: readonly string[] | undefined
  running?: boolean | undefined
  state?: 'default' | 'trashed' | 'all' | undefined
  modifiedSince?: number | undefined
}

/** Part of the events of a query that an answer contains, in order. */
export interface Slice {
  skip: number
  limit: number
  ascending: boolean
}

/** Times of a query in seconds, bounds included. */
export interface TimeSpan {
  from: number
  to: number
}

/** Account streams that show the size of records, with those above them. */
const STORAGE_STREAMS: ReadonlySet<string> = new Set([ACCOUNT_ROOT, ':_system:storageUsed', DB_DOCUMENTS].flatMap((id) => [id, `${id}!`]))

/** Checks the text of a query before it is parsed, which most queries are spared. */
const namesSystemStream = (streams: unknown): boolean =>
  (typeof streams === 'string' ? streams : JSON.stringify(streams)).includes('system:')

/** Checks whether a query names the stream of the size of records, which is measured before it is shown. */
export function asksForStorage({ caller, account, origin }: Call, { streams }: Restrictions): boolean {
  if (streams === undefined || !namesSystemStream(streams) || !mayRead(caller.scope, DB_DOCUMENTS, account.tree)) return false
  return parseStreamsQuery(streams, transportOf({ origin })).some(({ any }) => any.some((id) => STORAGE_STREAMS.has(id)))
}

/** Parts of a query: events of the account and, where selected, audit records and secrets. */
export interface Plan {
  events: EventQuery
  audit?: EventQuery
  secrets?: EventQuery
  /** The scope of the query for the audit record of this call. */
  scope: string
}

/** Plans a query. @throws Failure as the filter of events.get */
export function planOf(call: Call, input: Restrictions, slice: Slice, window: TimeSpan | undefined): Plan {
  const scan = scanOf(call, input, slice, window)
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
export function planned({ account, node }: Call, { events, audit, secrets }: Plan, sources: EventSources): AsyncGenerator<string[]> {
  if (audit === undefined && secrets === undefined) return scanEvents(account, events, sources)
  const { skip, limit, ascending } = events
  let found = scanEvents(account, { ...events, skip: 0, limit: skip + limit }, sources)
  if (audit !== undefined) found = mergedByTime(found, scanAudit(account, audit, sources.snapshot), ascending)
  if (secrets !== undefined) {
    found = mergedByTime(found, scanSharedSecrets(account, node.store.seal, secrets, sources.snapshot), ascending)
  }
  return sliced(found, skip, limit)
}

/** Returns the context in which the streams of a query are expanded. */
export const expansionOf = ({ account, caller, node }: Call, state: ExpansionContext['state']): ExpansionContext => ({
  scope: caller.scope,
  tree: account.tree,
  state,
  systemStreams: accountStreamsOf(node.systemStreams),
})

/** Returns the form in which a transport carries streams queries. */
export const transportOf = ({ origin }: Pick<Call, 'origin'>): 'query' | 'json' => (origin.transport === 'http' ? 'query' : 'json')

function scanOf(call: Call, input: Restrictions, slice: Slice, window: TimeSpan | undefined): EventQuery {
  const state = input.state ?? 'default'
  const conditions = conditionsFilter(input)
  const tags = input.tags === undefined ? undefined : new Set(input.tags)
  const scan: EventQuery = {
    runningOnly: input.running === true,
    streams: resolvedStreams(input.streams, transportOf(call), expansionOf(call, state)),
    state,
    ...slice,
    ...untilDisconnect(call),
  }
  if (window !== undefined) scan.window = { ...window, includeRunning: includesPresent(window, call.node.clock.now()) }
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
export const untilDisconnect = ({ origin: { reader } }: Call): Pick<EventQuery, 'assertConnected'> =>
  reader === undefined ? {} : { assertConnected: reader.assertConnected }
