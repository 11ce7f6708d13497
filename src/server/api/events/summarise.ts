/** Summaries of the events of a query: from columns in memory where the query allows it, else from the records themselves. */
import { createHash } from 'node:crypto'
import { accountKeys, END, ordered } from '../../../store/engine/keys.js'
import { createYielder, type Yielder } from '../../../store/engine/yield.js'
import { blockAt, createBlockBuilder, type EventBlock } from '../../../store/events/eventBlocks.js'
import type { EventColumnDeps, EventColumns } from '../../../store/events/eventColumns.js'
import { createPredicate } from '../../../store/events/eventFilter.js'
import { createEventGroups, streamsBy, type EventGroups, type NamedStream } from '../../../store/events/eventGroups.js'
import type { EventPageDeps } from '../../../store/events/eventPageCache.js'
import { openSources, scanEvents, type EventQuery, type EventSources } from '../../../store/events/eventQuery.js'
import { createSummary, type GroupSummary, type RowTest, type SummaryBuilder } from '../../../store/events/eventSummary.js'
import { recordEnd, recordId, recordTime } from '../../../store/model/eventRecord.js'
import { parseStreamsQuery, resolveStreamsQuery, type ResolvedQuery } from '../../../store/model/streamsQuery.js'
import type { Call } from '../../call/method.js'
import { expansionOf, planned, planOf, transportOf, type Plan, type Restrictions, type Slice } from './plan.js'

/** Parameters of a summary apart from its buckets. */
interface Input extends Restrictions {
  fromTime?: number | undefined
  toTime?: number | undefined
}

export interface EventSummary {
  /** The span in seconds; absent without bounds and events. */
  fromTime?: number
  toTime?: number
  builder: SummaryBuilder
  /** Returns the ids of the last events of groups; undefined for one that changed meanwhile. */
  lastIds(groups: readonly GroupSummary[]): Promise<(string | undefined)[]>
}

/** A number of equal buckets, or the boundaries of buckets. */
type BucketChoice = number | readonly number[]

const ALL: Slice = { skip: 0, limit: Infinity, ascending: true }

/**
 * Summarises events. `buckets`: a number of equal buckets, or their boundaries.
 * @throws Failure as events.get, TooManyGroups, TooManyBuckets
 */
export async function summarise(call: Call<EventColumnDeps & EventPageDeps>, input: Input, buckets: BucketChoice): Promise<EventSummary> {
  const [first, last] = typeof buckets === 'number' ? [] : [buckets[0], buckets.at(-1)]
  const fromTime = input.fromTime ?? first
  const toTime = input.toTime ?? last
  const window = fromTime === undefined && toTime === undefined ? undefined : { from: fromTime ?? -Infinity, to: toTime ?? Infinity }
  const plan = planOf(call, input, ALL, window)
  const span = { fromTime, toTime, buckets }
  const columns = await columnsOf(call, input, plan)
  const summary = columns === undefined ? await fromRecords(call, input, plan, span) : await fromColumns(call, columns, plan, span)
  call.trail?.recordRead(summary.builder.count, plan.scope)
  return summary
}

/** Bounds and buckets of a summary, as requested. */
interface Span {
  fromTime: number | undefined
  toTime: number | undefined
  buckets: BucketChoice
}

/** Returns the columns of a query; undefined if its events come from other stores or depend on more than the account. */
async function columnsOf(call: Call<EventColumnDeps>, input: Input, plan: Plan): Promise<EventColumns | undefined> {
  const { streams, window: _, ...filter } = plan.events
  const isElsewhere = plan.audit !== undefined || plan.secrets !== undefined
  if (isElsewhere || filter.runningOnly || filter.modifiedSince !== undefined || streams.some(({ tagged }) => tagged !== undefined)) return undefined
  const named = namedStreams(call, input)
  // Account events change without journal entries of their own: they are few, and read for each summary.
  const local = withoutAccount(streams)
  const { types, content, clientData, tags, state } = input
  const key = createHash('sha256')
    .update(JSON.stringify([types, content, clientData, tags, state ?? 'default']))
    .update(resolvedText(streams))
    .update(JSON.stringify(named.map(({ id, covers }) => [id, resolvedText([covers])])))
    .digest('base64url')
  return call.node.eventColumns.of(call.account, {
    key,
    filter: { ...filter, streams: local },
    createGroups: () => createEventGroups(streamsBy(streams, named)),
    assertConnected: call.origin.reader?.assertConnected,
  })
}

/** Returns the streams named by a query that names several, with what each covers. */
function namedStreams(call: Call, { streams, state = 'default' }: Input): NamedStream[] {
  const queries = parseStreamsQuery(streams, transportOf(call))
  const separate = queries.flatMap(({ any, all, not }) => any.filter((text) => text !== '*').map((text) => ({ any: [text], all, not })))
  if (new Set(separate.map(({ any: [text = ''] }) => idOf(text))).size < 2) return []
  const resolved = resolveStreamsQuery(separate, expansionOf(call, state))
  return separate.flatMap(({ any: [text = ''] }, at) => {
    const covers = resolved[at]
    return covers === undefined ? [] : [{ id: idOf(text), covers }]
  })
}

const idOf = (text: string): string => (text.endsWith('!') ? text.slice(0, -1) : text)

const NONE: ReadonlySet<string> = new Set()

/** Returns a query without the events of account streams. */
const withoutAccount = (queries: ResolvedQuery): ResolvedQuery =>
  queries.map((query) => ({
    ...query,
    account: NONE,
    any: query.any instanceof Set && query.account.size > 0 ? new Set([...(query.any as ReadonlySet<string>)].filter((id) => !query.account.has(id))) : query.any,
  }))

/** Returns a query for the events of account streams only. */
const onlyAccount = (queries: ResolvedQuery): ResolvedQuery =>
  queries.filter(({ account }) => account.size > 0).map((query) => ({ ...query, any: query.account }))

/** Returns a text that identifies a resolved query. */
function resolvedText(queries: ResolvedQuery): string {
  const listed = queries.map(({ any, account, all, not }) => [
    any === 'everything' ? any : 'except' in any ? { except: [...any.except] } : [...any],
    [...account],
    all.map((set) => [...set]),
    [...not],
  ])
  return JSON.stringify(listed)
}

/** Returns the boundaries of the buckets of a span, and the distance below which periods are merged. */
function bucketsOf(choice: BucketChoice, from: number, to: number): { edges: ArrayLike<number>; includesEnd: boolean; gap: number } {
  if (typeof choice !== 'number') {
    const [first = 0] = choice
    return { edges: choice, includesEnd: false, gap: ((choice.at(-1) ?? first) - first) / (choice.length - 1) }
  }
  // A span without length has one bucket.
  const count = to > from ? choice : 1
  const edges = Float64Array.from({ length: count + 1 }, (_, at) => from + (to - from) * (at / count))
  edges[count] = to
  return { edges, includesEnd: true, gap: (to - from) / count }
}

/** Maximum time in milliseconds for which other calls wait. */
const SLICE_MS = 5
/** Rows between two checks of the clock. */
const STEP = 1000

async function paused(pause: Yielder): Promise<void> {
  const pausing = pause()
  if (pausing !== undefined) await pausing
}

/** Creates the summary of a span; `first` and `last` are times of its first and last event, if there are any. */
function spanned(call: Call, { fromTime, toTime, buckets }: Span, first: number | undefined, last: number | undefined, groups: EventGroups): Omit<EventSummary, 'lastIds'> {
  const from = fromTime ?? first ?? toTime
  // Periods in progress at the begin of the span may all have begun before it.
  const to = toTime ?? (last === undefined || from === undefined ? from : Math.max(from, last))
  const builder = createSummary({ ...bucketsOf(buckets, from ?? 0, to ?? 0), now: call.node.clock.now(), groups: groups.groups })
  return { ...(from === undefined || to === undefined ? {} : { fromTime: from, toTime: to }), builder }
}

/** Summarises the records of a query in one pass. */
async function fromRecords(call: Call, input: Input, plan: Plan, span: Span): Promise<EventSummary> {
  const { account } = call
  const pause = createYielder(SLICE_MS, call.origin.reader?.assertConnected)
  const groups = createEventGroups(streamsBy(plan.events.streams.concat(plan.audit?.streams ?? [], plan.secrets?.streams ?? []), namedStreams(call, input)))
  if (plan.audit !== undefined) await call.node.audit.settled(account)
  // Bounds and records are of one state.
  const sources = openSources(account, plan.events, {})
  try {
    const first = span.fromTime ?? (await firstTime(call, plan, true, sources))
    const last = span.toTime ?? (await firstTime(call, plan, false, sources))
    const summary = spanned(call, span, first, last, groups)
    for await (const page of planned(call, plan, sources)) {
      for (const record of page) {
        const [time, end, id] = [recordTime(record), recordEnd(record), recordId(record)]
        groups.rowsOf(record, (group, value, isFirst, isFirstOfKind) => {
          summary.builder.add(time, end, group, value, isFirst, isFirstOfKind, id)
        })
        await paused(pause)
      }
    }
    return { ...summary, lastIds: (found) => Promise.resolve(found.map(({ lastId }) => lastId)) }
  } finally {
    await sources.close()
  }
}

/** Returns the time of the first event of a query, or of the last one. */
async function firstTime(call: Call, plan: Plan, ascending: boolean, sources: EventSources): Promise<number | undefined> {
  const one = (query: EventQuery): EventQuery => ({ ...query, ascending, limit: 1 })
  const { events, audit, secrets } = plan
  const only = { ...plan, events: one(events), ...(audit === undefined ? {} : { audit: one(audit) }), ...(secrets === undefined ? {} : { secrets: one(secrets) }) }
  for await (const page of planned(call, only, sources)) {
    const [record] = page
    if (record !== undefined) return recordTime(record)
  }
  return undefined
}

/** Summarises columns, with the account events of the query. */
async function fromColumns(call: Call<EventPageDeps>, columns: EventColumns, { events }: Plan, span: Span): Promise<EventSummary> {
  const { groups, blocks } = columns
  const pause = createYielder(SLICE_MS, call.origin.reader?.assertConnected)
  const account = await accountBlock(call, groups, events)
  const isShown = rowTest(events.window)
  const isBounded = span.fromTime !== undefined && span.toTime !== undefined
  const bounds = isBounded ? undefined : await boundsOf([...blocks, account], isShown, pause)
  const summary = spanned(call, span, bounds?.first, bounds?.last, groups)
  const { builder } = summary
  let next = 0
  for (const block of shownBlocks(blocks, events.window)) {
    const { times } = block
    for (let at = 0; at < times.length; ) {
      // Account events come between the rows of the block.
      const upTo = account.times[next] ?? Infinity
      const end = endOfRows(times, at, upTo)
      builder.addRows(block, at, end, isShown)
      at = end
      for (; (account.times[next] ?? Infinity) <= (times[at] ?? -Infinity); next++) builder.addRows(account, next, next + 1, isShown)
      await paused(pause)
    }
  }
  builder.addRows(account, next, account.times.length, isShown)
  return { ...summary, lastIds: (found) => lastIdsOf(call, events, groups, found, pause) }
}

/** Returns the end of the rows from `at` on that are before a time, at most STEP of them. */
function endOfRows(times: Float64Array, at: number, before: number): number {
  const most = Math.min(at + STEP, times.length)
  if ((times[most - 1] ?? 0) < before) return most
  let end = at
  while ((times[end] ?? Infinity) < before) end += 1
  return end
}

/** Returns the blocks with events of a window. */
function shownBlocks(blocks: readonly EventBlock[], window: EventQuery['window']): readonly EventBlock[] {
  if (window === undefined) return blocks
  const last = blockAt(blocks, window.to)
  return blocks.filter(({ maxEnd }, at) => at <= last && maxEnd >= window.from)
}

/** Returns the test of events for a window, as scanEvents applies it. */
function rowTest(window: EventQuery['window']): RowTest {
  if (window === undefined) return () => true
  const { from, to, includeRunning } = window
  return (time, end) => time <= to && end >= from && (includeRunning || end !== Infinity)
}

/** Returns the times of the first and last event; undefined for none. */
async function boundsOf(
  blocks: readonly EventBlock[],
  isShown: (time: number, end: number) => boolean,
  pause: Yielder,
): Promise<{ first: number; last: number } | undefined> {
  let first = Infinity
  let last = -Infinity
  for (const { times, ends } of blocks) {
    for (let at = 0; at < times.length; at++) {
      const time = times[at] ?? 0
      if (!isShown(time, ends?.[at] ?? time)) continue
      if (time < first) first = time
      break
    }
    for (let at = times.length - 1; at >= 0; at--) {
      const time = times[at] ?? 0
      if (!isShown(time, ends?.[at] ?? time)) continue
      if (time > last) last = time
      break
    }
    await paused(pause)
  }
  return first === Infinity ? undefined : { first, last }
}

/** Reads the account events of a query. */
async function accountBlock({ account, node }: Call<EventPageDeps>, groups: EventGroups, events: EventQuery): Promise<EventBlock> {
  const builder = createBlockBuilder(groups, -Infinity)
  const streams = onlyAccount(events.streams)
  if (streams.length > 0) {
    const sources = openSources(account, events, node)
    try {
      for await (const page of scanEvents(account, { ...events, streams }, sources)) for (const record of page) builder.add(record)
    } finally {
      await sources.close()
    }
  }
  // Account events are too few for a second block.
  const [block] = builder.finish()
  if (block === undefined) throw new Error('A builder returned no block.')
  return block
}

/** Reads the ids of the last events of groups, by their times. */
async function lastIdsOf(call: Call, events: EventQuery, groups: EventGroups, found: readonly GroupSummary[], pause: Yielder): Promise<(string | undefined)[]> {
  const { db, prefix } = call.account
  const snapshot = db.snapshot()
  const keep = createPredicate(events)
  const isShown = rowTest(events.window)
  try {
    const ids: (string | undefined)[] = []
    for (const { group, lastTime } of found) {
      const start = accountKeys.events(prefix) + ordered(lastTime)
      const pages = db.values({ gte: start, lt: start + END }, { reverse: true }, snapshot)
      let id: string | undefined
      try {
        for (let page = await pages.next(1); page.length > 0 && id === undefined; page = await pages.next(PAGE)) {
          id = page.find((record) => keep(record) && isShown(recordTime(record), recordEnd(record)) && isOfGroup(groups, record, group))
          if (id !== undefined) id = recordId(id)
          await paused(pause)
        }
      } finally {
        await pages.close()
      }
      ids.push(id)
    }
    return ids
  } finally {
    await snapshot.close()
  }
}

/** Records read at once in search of one. */
const PAGE = 50

function isOfGroup(groups: EventGroups, record: string, group: GroupSummary['group']): boolean {
  let isFound = false
  groups.rowsOf(record, (place) => {
    if (groups.groups[place] === group) isFound = true
  })
  return isFound
}
