/**
 * Pages of an account's events in memory, in the order of time: the records as stored, with columns of what filters ask of every
 * event. A filter is decided once for each combination of streams and type, so that a scan compares numbers.
 *
 * A page never changes. An update returns pages in place of those that it concerns and shares the others, so that a scan sees
 * one state of the account while writers go on.
 */
import type { Yielder } from '../engine/yield.js'
import { recordEnd, recordGroupText, recordId, recordIsOfAccount, recordIsRunning, recordIsTrashed, recordStreamIds, recordTime } from '../model/eventRecord.js'
import type { ResolvedQuery } from '../model/streamsQuery.js'
import { createPredicate, type EventFilter } from './eventFilter.js'
import { sliced } from './mergeSorted.js'

export interface EventPage {
  readonly records: readonly string[]
  /** Times of the events, in seconds. */
  readonly times: Float64Array
  /** Numbers of their groups: of streams and type together. */
  readonly groups: Uint32Array
  readonly flags: Uint8Array
  /** Latest end, infinite with a running period. */
  readonly maxEnd: number
  /** Approximate memory. */
  readonly bytes: number
}

const TRASHED = 1
const RUNNING = 2
/** Set for events that end after their time. */
const PERIOD = 4

/** Maximum number of events in a page. */
const MAX_ROWS = 512
/** Bytes of an event besides its text, and of a page besides its events. */
const ROW_BYTES = 40
const PAGE_OVERHEAD = 400

/** Numbers the combinations of streams and type of an account's events. */
export interface RecordGroups {
  /** Returns the number of a record's group, a new one for the first record of it. */
  numberOf(record: string): number
  /** Returns the numbers of the groups with a stream. */
  withStream(id: string): readonly number[]
  readonly size: number
}

export function createRecordGroups(): RecordGroups {
  const numbers = new Map<string, number>()
  const byStream = new Map<string, number[]>()

  function create(record: string, text: string): number {
    // Parts of a record would keep the whole of it in memory.
    const number = numbers.size
    numbers.set(copyOf(text), number)
    for (const id of recordStreamIds(record)) {
      const known = byStream.get(id)
      if (known === undefined) byStream.set(copyOf(id), [number])
      else known.push(number)
    }
    return number
  }

  return {
    numberOf(record) {
      // Filters of streams treat events of the account's own data in a way of their own.
      const text = recordIsOfAccount(record) ? `!${recordGroupText(record)}` : recordGroupText(record)
      return numbers.get(text) ?? create(record, text)
    },
    withStream: (id) => byStream.get(id) ?? [],
    get size() {
      return numbers.size
    },
  }
}

const copyOf = (text: string): string => Buffer.from(text).toString()

/** Rows from which pages are made. */
interface Rows {
  readonly length: number
  add(record: string): void
  /** Adds a row of a page. */
  copy(page: EventPage, at: number): void
  /** Returns the rows as pages of about equal length. */
  pages(): EventPage[]
}

function createRows(numbers: RecordGroups): Rows {
  const records: string[] = []
  const times: number[] = []
  const groups: number[] = []
  const flags: number[] = []

  function page(from: number, to: number): EventPage {
    const part = records.slice(from, to)
    let bytes = PAGE_OVERHEAD
    let maxEnd = -Infinity
    for (const [at, record] of part.entries()) {
      // Text beyond ASCII may take two bytes per character.
      const isAscii = Buffer.byteLength(record) === record.length
      bytes += ROW_BYTES + (isAscii ? record.length : 2 * record.length)
      const end = ((flags[from + at] ?? 0) & PERIOD) === 0 ? (times[from + at] ?? 0) : recordEnd(record)
      if (end > maxEnd) maxEnd = end
    }
    return {
      records: part,
      times: Float64Array.from(times.slice(from, to)),
      groups: Uint32Array.from(groups.slice(from, to)),
      flags: Uint8Array.from(flags.slice(from, to)),
      maxEnd,
      bytes,
    }
  }

  return {
    get length() {
      return records.length
    },
    add(record) {
      const time = recordTime(record)
      records.push(record)
      times.push(time)
      groups.push(numbers.numberOf(record))
      const isPeriod = recordEnd(record) !== time
      flags.push((recordIsTrashed(record) ? TRASHED : 0) | (isPeriod ? PERIOD : 0) | (isPeriod && recordIsRunning(record) ? RUNNING : 0))
    },
    copy(source, at) {
      records.push(source.records[at] ?? '')
      times.push(source.times[at] ?? 0)
      groups.push(source.groups[at] ?? 0)
      flags.push(source.flags[at] ?? 0)
    },
    pages() {
      const count = Math.ceil(records.length / MAX_ROWS)
      const edge = (n: number): number => Math.round((records.length * n) / count)
      return Array.from({ length: count }, (_, n) => page(edge(n), edge(n + 1)))
    },
  }
}

/** Creates pages of records, which come in the order of their keys. `add` throws RangeError for a damaged record. */
export function createPageBuilder(groups: RecordGroups): { add(record: string): void; readonly bytes: number; finish(): EventPage[] } {
  const pages: EventPage[] = []
  let rows = createRows(groups)
  let bytes = 0
  let latest = -Infinity
  const close = (): void => {
    for (const page of rows.pages()) {
      pages.push(page)
      bytes += page.bytes
    }
    rows = createRows(groups)
  }
  return {
    add(record) {
      const time = recordTime(record)
      // A search in pages relies on their order; reads from the database do not.
      if (!(time >= latest)) throw new RangeError('An event record is damaged.')
      latest = time
      rows.add(record)
      // Half of a page stays free for later events.
      if (rows.length >= MAX_ROWS / 2) close()
    },
    get bytes() {
      return bytes
    },
    finish() {
      close()
      return pages
    },
  }
}

/** A written or deleted event: its place in the order of keys, and its record unless it was deleted. */
export interface RecordChange {
  time: number
  id: string
  record?: string
}

/** Compares two places in the order of keys. */
export const compareChanges = (a: RecordChange, b: RecordChange): number => a.time - b.time || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Compares the place of a row with that of a change. */
function compareRow({ times, records }: EventPage, at: number, { time, id }: RecordChange): number {
  const difference = (times[at] ?? 0) - time
  if (difference !== 0) return difference
  const own = recordId(records[at] ?? '')
  return own < id ? -1 : own > id ? 1 : 0
}

/** Returns the pages after changes, which are sorted and concern each event once. */
export function updatedPages(pages: readonly EventPage[], changes: readonly RecordChange[], groups: RecordGroups): EventPage[] {
  const next: EventPage[] = []
  let from = 0
  for (let at = 0; at < Math.max(1, pages.length); at++) {
    const [page, following] = [pages[at], pages[at + 1]]
    let to = from
    for (let change = changes[to]; change !== undefined; change = changes[++to]) {
      if (following !== undefined && compareRow(following, 0, change) <= 0) break
    }
    if (to > from) next.push(...mergedPages(page, changes.slice(from, to), groups))
    else if (page !== undefined) next.push(page)
    from = to
  }
  return next
}

/** Returns the pages in place of one with changes to its events. */
function mergedPages(page: EventPage | undefined, changes: readonly RecordChange[], groups: RecordGroups): EventPage[] {
  const rows = createRows(groups)
  let row = 0
  const count = page?.records.length ?? 0
  for (const change of changes) {
    while (page !== undefined && row < count && compareRow(page, row, change) < 0) rows.copy(page, row++)
    if (page !== undefined && row < count && compareRow(page, row, change) === 0) row += 1
    if (change.record !== undefined) rows.add(change.record)
  }
  while (page !== undefined && row < count) rows.copy(page, row++)
  return rows.pages()
}

/** All events of an account, as of one of its commits. */
export interface AccountPages {
  readonly pages: readonly EventPage[]
  readonly groups: RecordGroups
}

/** Filter of a scan, with its order and the number of records after which it ends. */
export interface PageScan extends EventFilter {
  ascending: boolean
  wanted: number
}

/** What a scan needs besides the events in memory. */
export interface PageScanOptions {
  pause: Yielder
  /** Returns all matching records from the database, in the order of the answer. */
  fromDisk(): AsyncGenerator<string[]>
  /** True when the database that `fromDisk` reads has the same events. */
  isSame: boolean
  /** Time in milliseconds after which a reader that is not done goes on from the database. */
  leaseMs?: number
}

/** Number of records after which a scan hands over what it found. Most answers are complete by then. */
const HAND_OVER = 1000
const LEASE_MS = 1000

/**
 * Returns the matching records in the order of the answer. The filter has neither a time of modification nor `runningOnly`, for
 * which there are indexes. A client that reads a large answer slowly must not retain all events in memory: its scan goes on from
 * the database.
 */
export async function* scanPages(loaded: AccountPages, scan: PageScan, options: PageScanOptions): AsyncGenerator<string[]> {
  const { pause, fromDisk, isSame, leaseMs = LEASE_MS } = options
  const lease = createLease(loaded, scan)
  let found: string[] = []
  let taken = 0
  let timer: NodeJS.Timeout | undefined
  try {
    for (let rows = lease.next(scan.wanted); rows !== undefined; rows = lease.next(scan.wanted - taken)) {
      for (const record of rows) found.push(record)
      taken += rows.length
      const pausing = pause()
      if (pausing !== undefined) await pausing
      if (found.length < HAND_OVER || taken >= scan.wanted) continue
      if (!isSame) {
        found = []
        taken = 0
        break
      }
      timer ??= setTimeout(() => {
        lease.end()
      }, leaseMs).unref()
      const page = found
      found = []
      yield page
    }
  } finally {
    clearTimeout(timer)
    lease.end()
  }
  if (found.length > 0) yield found
  if (!lease.isComplete) yield* sliced(fromDisk(), taken, scan.wanted - taken)
}

/** A scan page by page. Ending it releases the events, also those that its user has not seen. */
interface Lease {
  /** Returns up to `most` matching records of the next page; undefined after the last one, and once it has ended. */
  next(most: number): string[] | undefined
  end(): void
  /** True after the last page. */
  readonly isComplete: boolean
}

function createLease({ pages, groups }: AccountPages, scan: PageScan): Lease {
  const { ascending, window: { from, to } = { from: -Infinity, to: Infinity } } = scan
  const test = rowTest(scan, groups)
  const step = ascending ? 1 : -1
  const newest = pageAt(pages, to)
  const last = ascending ? newest : 0
  let n = ascending ? 0 : newest
  let isComplete = false
  let held: readonly EventPage[] | undefined = pages
  return {
    next(most) {
      if (held === undefined) return undefined
      for (; most > 0 && step * (last - n) >= 0; n += step) {
        const page = held[n]
        if (page === undefined || page.maxEnd < from) continue
        n += step
        return rowsOf(page, { from, to }, ascending, test, most)
      }
      isComplete = true
      return undefined
    },
    end() {
      held = undefined
    },
    get isComplete() {
      return isComplete
    },
  }
}

/** Returns up to `most` matching records of a page, in the order of the answer. */
function rowsOf(page: EventPage, { from, to }: { from: number; to: number }, ascending: boolean, test: RowTest, most: number): string[] {
  const { decided, mask, value, isSelected } = test
  const { times, flags, records, groups } = page
  const found: string[] = []
  const count = rowsUpTo(page, to)
  const [begin, end, step] = ascending ? [0, count, 1] : [count - 1, -1, -1]
  for (let at = begin; at !== end && found.length < most; at += step) {
    // Most rows of selective queries end here.
    if (decided[groups[at] ?? 0] === EXCLUDED || ((flags[at] ?? 0) & mask) !== value || !isSelected(page, at)) continue
    const record = records[at] ?? ''
    // Of earlier events, those in progress when the window opens.
    if ((times[at] ?? 0) < from && (((flags[at] ?? 0) & PERIOD) === 0 || recordEnd(record) < from)) continue
    found.push(record)
  }
  return found
}

/** Returns the index of the last page that begins at `time` or earlier, or -1. */
function pageAt(pages: readonly EventPage[], time: number): number {
  let low = 0
  for (let high = pages.length; low < high; ) {
    const middle = (low + high) >>> 1
    if ((pages[middle]?.times[0] ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the number of rows of a page whose time is `time` or earlier. */
function rowsUpTo({ times }: EventPage, time: number): number {
  let low = 0
  for (let high = times.length; low < high; ) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low
}

/** Values of a group in a scan. */
const UNDECIDED = 0
const EXCLUDED = 1
const SELECTED = 2

/** Test of a filter, apart from its window, for the rows of pages. */
interface RowTest {
  /** Decision for each group, made when a row of it is tested first. */
  decided: Uint8Array
  /** A row only matches if its flags under the mask have this value. */
  mask: number
  value: number
  /** Tests what decisions and flags leave open. */
  isSelected(page: EventPage, at: number): boolean
}

function rowTest(filter: EventFilter, known: RecordGroups): RowTest {
  const { state, streams, types, accepts, window } = filter
  const untagged = streams.map(({ tagged: _, ...query }) => query)
  const ofGroup = createPredicate({ streams: untagged, state: 'all', runningOnly: false, ...(types === undefined ? {} : { types }) })
  const isDecidedByGroup = accepts === undefined && streams.every(({ tagged }) => tagged === undefined)
  const ofRecord = isDecidedByGroup ? undefined : createPredicate(filter)
  const decided = initialDecisions(streams, known)
  return {
    decided,
    mask: (state === 'all' ? 0 : TRASHED) | (window?.includeRunning === false ? RUNNING : 0),
    value: state === 'trashed' ? TRASHED : 0,
    isSelected({ groups, records }, at) {
      const group = groups[at] ?? 0
      if (decided[group] === UNDECIDED) decided[group] = ofGroup(records[at] ?? '') ? SELECTED : EXCLUDED
      return decided[group] === SELECTED && (ofRecord === undefined || ofRecord(records[at] ?? ''))
    },
  }
}

/** Returns the decision for each group that needs no look at it: a query of named streams excludes all groups without them. */
function initialDecisions(streams: ResolvedQuery, known: RecordGroups): Uint8Array {
  const decided = new Uint8Array(known.size)
  const named: string[] = []
  for (const { any } of streams) {
    if (!(any instanceof Set)) return decided
    for (const id of any as ReadonlySet<string>) {
      // Streams of other stores cover streams that are not named.
      if (id.startsWith(':')) return decided
      named.push(id)
    }
  }
  decided.fill(EXCLUDED)
  for (const id of named) for (const group of known.withStream(id)) decided[group] = UNDECIDED
  return decided
}
