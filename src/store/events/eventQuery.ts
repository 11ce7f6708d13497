/**
 * Event queries. Plans use the ordered indexes, so that the cost depends on the answer, not on the account. Records
 * come in the order of the answer, as stored text; filters read the head of a record without parsing it
 * (eventFilter.ts).
 */
import type { Account } from '../engine/account.js'
import type { Pages, Snapshot } from '../engine/database.js'
import { createPredicate, earliestPossibleStart, inWindow, RUNNING, type EventFilter, type EventPredicate } from './eventFilter.js'
import { accountKeys, END, ordered, ORDERED_LENGTH, under } from '../engine/keys.js'
import { recordId, recordStreamIds, recordTime } from '../model/eventRecord.js'
import type { ResolvedQuery } from '../model/streamsQuery.js'
import { filtered, yieldEvery, type Yielder } from '../engine/yield.js'
import { placesOf, arrivedSince } from '../engine/remoteArrivals.js'
import { mergeStreams, recordGroups, sliced } from './mergeSorted.js'
import type { EventPageDeps } from './eventPageCache.js'
import type { AccountPages } from './eventPages.js'
import { scanPages, scanPagesAtOnce } from './eventPageScan.js'
import { isKnownSparse, rememberSparse, sparseKey } from './sparseStreams.js'

/** Filter of the query, with its order, skip and limit (docs/interface/events.md#queries). */
export interface EventQuery extends EventFilter {
  ascending: boolean
  skip: number
  limit: number
  /** Throws CallerGone when yielding, once the caller has disconnected. */
  assertConnected?: () => void
}

/**
 * Returns pages of records in the order of the answer, with skip and limit applied. Pages may be empty, so that a
 * consumer can stop a long search with few results. The caller closes `sources`, opened for this query, after the last page or
 * after leaving the loop.
 */
export async function* scanEvents(account: Account, scan: EventQuery, sources: EventSources): AsyncGenerator<string[]> {
  if (scan.limit <= 0 || scan.streams.every(({ any }) => any instanceof Set && any.size === 0)) return
  const { loaded, isSame } = sources
  const fromDisk = (): AsyncGenerator<string[]> => candidates(account, scan, sources)
  const found =
    loaded === undefined
      ? fromDisk()
      : scanPages(loaded, { ...scan, wanted: scan.skip + scan.limit }, { pause: yieldEvery(scan.assertConnected), fromDisk, isSame })
  yield* sliced(found, scan.skip, scan.limit)
}

/** Maximum number of records, and of their characters, that are returned at once. */
const MAX_AT_ONCE = 200
const MAX_TEXT_AT_ONCE = 128 * 1024

/**
 * Returns the records that `scanEvents` yields, if there are few and the events in memory contain them: without opening the
 * database, and without the turns of its generators, which take longer than finding 20 records. Otherwise undefined.
 */
export function eventsAtOnce(account: Account, scan: EventQuery, { eventPages }: EventPageDeps): string[] | undefined {
  const { streams, accepts, skip, limit } = scan
  const wanted = skip + limit
  if (!(limit > 0 && wanted <= MAX_AT_ONCE) || accepts !== undefined || !usesPages(scan)) return undefined
  if (!streams.every(({ tagged }) => tagged === undefined)) return undefined
  const loaded = eventPages.of(account)
  const found = loaded === undefined ? undefined : scanPagesAtOnce(loaded, { ...scan, wanted })
  if (found === undefined) return undefined
  const records = skip === 0 ? found : found.slice(skip)
  let length = 0
  for (const record of records) length += record.length
  return length > MAX_TEXT_AT_ONCE ? undefined : records
}

/** Sources of a query: the database at one time and, if the account is loaded, its events in memory. */
export interface EventSources {
  snapshot: Snapshot
  loaded: AccountPages | undefined
  /** True when both have the same events, since no write is in progress. */
  isSame: boolean
  /** Receives the number of records that a query has read from the database. */
  noteRead(records: number): void
  close(): Promise<void>
}

/** Time in milliseconds for which a query may hold all events of an account in memory. */
const MAX_HELD_MS = 1000

/** Opens the sources of a query, which the caller closes. `eventPages` is absent for queries that must see one state of the database. */
export function openSources(account: Account, scan: EventQuery, { eventPages }: Partial<EventPageDeps>): EventSources {
  const snapshot = account.db.snapshot()
  const pages = usesPages(scan) ? eventPages : undefined
  const loaded = pages?.of(account)
  const release = (): void => {
    if (loaded !== undefined) loaded.pages = undefined
  }
  const timer = loaded === undefined ? undefined : setTimeout(release, MAX_HELD_MS).unref()
  return {
    snapshot,
    loaded,
    isSame: loaded !== undefined && account.isIdle,
    noteRead(records) {
      pages?.noteRead(account, records)
    },
    close() {
      clearTimeout(timer)
      release()
      return snapshot.close()
    },
  }
}

/** Checks whether events in memory answer a query; indexes answer the others, from few entries. */
const usesPages = ({ runningOnly, modifiedSince }: EventQuery): boolean => !runningOnly && modifiedSince === undefined

/** Returns the records that match, from the database. */
async function* candidates(account: Account, scan: EventQuery, { snapshot, noteRead }: Pick<EventSources, 'snapshot' | 'noteRead'>): AsyncGenerator<string[]> {
  const pause = yieldEvery(scan.assertConnected)
  const received = scan.modifiedSince === undefined ? undefined : await arrivedSince(account, scan.modifiedSince, snapshot, pause)
  const isMatch = createPredicate(scan, received)
  let read = 0
  const keep: EventPredicate = (record) => {
    read += 1
    return isMatch(record)
  }
  const { window } = scan
  const keepInWindow: EventPredicate =
    window === undefined ? keep : (record) => inWindow(record, window) && keep(record)
  try {
    if (scan.runningOnly) {
      const before = window === undefined ? END : under(ordered(window.to)).lt
      yield* records(account, await periodKeys(account, RUNNING, '', before, { snapshot, pause }), scan, keepInWindow, { snapshot, pause })
      return
    }
    if (scan.modifiedSince !== undefined) {
      const keys = await modifiedKeys(account, scan.modifiedSince, { snapshot, pause })
      if (keys !== undefined) {
        const places = received === undefined || received.size === 0 ? [] : await placesOf(account, received, snapshot)
        yield* records(account, places.length === 0 ? keys : [...new Set([...keys, ...places])], scan, keepInWindow, { snapshot, pause })
        return
      }
    }
    if (scan.ascending) yield* inProgress(account, scan, keepInWindow, { snapshot, pause })
    yield* byTime(account, scan, keep, { snapshot, pause })
    if (!scan.ascending) yield* inProgress(account, scan, keepInWindow, { snapshot, pause })
  } finally {
    noteRead(read)
  }
}

/** Snapshot of a scan, and its yielder. */
interface Reading {
  snapshot: Snapshot
  pause: Yielder
}

const MAX_PAGE_SIZE = 1000
const MIN_PAGE_SIZE = 20

/** Reads the records of keys (`<time><id>`) in the order of the answer and returns those that match. */
async function* records(
  account: Account,
  keys: string[],
  scan: EventQuery,
  keep: EventPredicate,
  { snapshot, pause }: Reading,
): AsyncGenerator<string[]> {
  keys.sort()
  if (!scan.ascending) keys.reverse()
  const prefix = accountKeys.events(account.prefix)
  const recordsOf = recordGroups(account.db, snapshot)
  let size = firstPage(scan)
  for (let at = 0; at < keys.length; at += size, size = Math.min(size * 2, MAX_PAGE_SIZE)) {
    const group = keys.slice(at, at + size).map((key) => prefix + key)
    for await (const found of recordsOf(group)) yield filtered(found, keep, pause)
  }
}

function firstPage({ skip, limit }: EventQuery): number {
  return Math.max(MIN_PAGE_SIZE, Math.min(skip + limit, TRIAL_LENGTH))
}

/** Returns all remaining entries of paged results and closes them. */
async function drained<T>(source: Pages<T>, pause: Yielder): Promise<T[]> {
  const all: T[] = []
  try {
    for (let page = await source.next(MAX_PAGE_SIZE); page.length > 0; page = await source.next(MAX_PAGE_SIZE)) {
      for (const entry of page) all.push(entry)
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
    return all
  } finally {
    await source.close()
  }
}

/** Number of changes since a time beyond which a scan by time with a filter is cheaper than collecting them. */
const MAX_MODIFIED = 2000

/** Returns the keys of events modified at or after `since`; undefined when there are too many. */
async function modifiedKeys(account: Account, since: number, { snapshot, pause }: Reading): Promise<string[] | undefined> {
  const all = accountKeys.modifieds(account.prefix)
  const range = { ...under(all), gte: accountKeys.modified(account.prefix, since, '') }
  const entries = await drained(account.db.entries(range, { limit: MAX_MODIFIED + 1 }, snapshot), pause)
  if (entries.length > MAX_MODIFIED) return undefined
  return entries.map(([key, time]) => time + key.slice(all.length + ORDERED_LENGTH))
}

/** Returns the keys of the period events of a bucket of durations in `[from, before)`. */
async function periodKeys(
  account: Account,
  bucket: string,
  from: string,
  before: string,
  { snapshot, pause }: Reading,
): Promise<string[]> {
  const prefix = accountKeys.periodsOf(account.prefix, bucket)
  const keys = await drained(account.db.keys({ gte: prefix + from, lt: prefix + before }, {}, snapshot), pause)
  return keys.map((key) => key.slice(prefix.length))
}

/** Returns events that began before the window and are in progress when it opens. */
async function* inProgress(
  account: Account,
  scan: EventQuery,
  keep: EventPredicate,
  reading: Reading,
): AsyncGenerator<string[]> {
  const { window } = scan
  if (window === undefined) return
  const buckets = [...(await durationBuckets(account, reading))].filter((bucket) => bucket !== RUNNING || window.includeRunning)
  const found = await Promise.all(
    buckets.map((bucket) => periodKeys(account, bucket, ordered(earliestPossibleStart(bucket, window.from)), ordered(window.from), reading)),
  )
  yield* records(account, found.flat(), scan, keep, reading)
}

/** Returns the buckets of durations that an account has, and maybe some that it had; reads each of them the first time. */
async function durationBuckets({ db, prefix, durationBuckets: known }: Account, { snapshot, pause }: Reading): Promise<ReadonlySet<string>> {
  const all = under(accountKeys.periods(prefix))
  for (let from = all.gte; !known.isComplete; ) {
    const [key] = await drained(db.keys({ gte: from, lt: all.lt }, { limit: 1 }, snapshot), pause)
    if (key === undefined) {
      known.isComplete = true
    } else {
      const bucket = key.slice(all.gte.length, key.indexOf('/', all.gte.length))
      known.buckets.add(bucket)
      from = under(accountKeys.periodsOf(prefix, bucket)).lt
    }
  }
  return known.buckets
}

/** Records read by time before the share of matches is judged. */
const TRIAL_LENGTH = 256
/** Below one match in this many records, merging the streams' own indexes is the better plan. */
const SPARSE = 8
/** Records after which a share far below that is certain enough. */
const SHORT_TRIAL_LENGTH = 64
const VERY_SPARSE = 24

/** Judges the share of matches among the records read so far. */
const isSparse = (matches: number, seen: number): boolean =>
  seen >= TRIAL_LENGTH ? matches * SPARSE < seen : seen >= SHORT_TRIAL_LENGTH && matches * VERY_SPARSE < seen

/** Returns events that begin in the window: by time while most records match, otherwise by merging the streams' indexes. */
async function* byTime(account: Account, scan: EventQuery, keep: EventPredicate, { snapshot, pause }: Reading): AsyncGenerator<string[]> {
  const { window, ascending } = scan
  const prefix = accountKeys.events(account.prefix)
  const from = window === undefined ? '' : ordered(window.from)
  const before = window === undefined ? END : under(ordered(window.to)).lt
  const streams = streamsToMerge(scan.streams)
  const wanted = scan.skip + scan.limit
  const key = streams === undefined ? undefined : sparseKey(streams, ascending ? (window?.from ?? -Infinity) : (window?.to ?? Infinity))
  if (key !== undefined && isKnownSparse(account, key)) {
    yield* mergeStreams(account, streams, { from, exclusive: false, before }, { ...scan, wanted }, keep, { snapshot, pause })
    return
  }
  let inStreams = 0
  const source = account.db.values({ gte: prefix + from, lt: prefix + before }, { reverse: !ascending }, snapshot)
  let seen = 0
  let stored = 0
  let reached = ''
  try {
    for (let size = firstPage(scan); ; size = Math.min(Math.max(seen, wanted - stored), MAX_PAGE_SIZE)) {
      const page = await source.next(size)
      if (page.length === 0) return
      const end = page[page.length - 1] ?? ''
      reached = ordered(recordTime(end)) + recordId(end)
      seen += page.length
      if (key !== undefined) inStreams += page.filter((record) => recordStreamIds(record).some((id) => streams?.has(id) === true)).length
      const found = await filtered(page, keep, pause)
      // A slow reader must not retain the results: only it refers to them.
      page.length = 0
      stored += found.length
      yield found
      if (stored >= wanted) return
      if (streams === undefined || !isSparse(stored, seen)) continue
      // Another filter may be the reason why few match; queries without it must not merge the streams then.
      if (key !== undefined && isSparse(inStreams, seen)) rememberSparse(account, key)
      break
    }
  } finally {
    await source.close()
  }
  const rest = ascending ? { from: reached, exclusive: true, before } : { from, exclusive: false, before: reached }
  yield* mergeStreams(account, streams, rest, { ...scan, wanted: wanted - stored }, keep, { snapshot, pause })
}

/**
 * Returns pages of the matching records that begin in `[from, to]`, oldest first. The filter has neither a window nor a time of
 * modification. The caller closes the snapshot.
 */
export function scanStarts(
  account: Account,
  filter: EventFilter,
  { from, to }: { from: number; to: number },
  { snapshot, pause }: Reading,
): AsyncGenerator<string[]> {
  const scan = { ...filter, window: { from, to, includeRunning: true }, ascending: true, skip: 0, limit: Infinity }
  return byTime(account, scan, createPredicate(filter), { snapshot, pause })
}

/** Number of streams beyond which a scan by time with a filter is the better plan. */
const MAX_STREAMS = 1000

/** Returns the streams that contain all matches, when they are few enough to merge. */
function streamsToMerge(queries: ResolvedQuery): ReadonlySet<string> | undefined {
  const streams = new Set<string>()
  for (const { any } of queries) {
    if (any === 'everything' || 'except' in any) return undefined
    for (const id of any) streams.add(id)
  }
  return streams.size <= MAX_STREAMS ? streams : undefined
}
