/**
 * Scans of the pages of events in memory. A filter is decided once for each combination of streams and type, so that most rows cost
 * a comparison of numbers.
 */
import type { Yielder } from '../engine/yield.js'
import { recordEnd } from '../model/eventRecord.js'
import type { ResolvedQuery } from '../model/streamsQuery.js'
import { createPredicate, type EventFilter } from './eventFilter.js'
import { PERIOD, RUNNING, TRASHED, type AccountPages, type EventPage, type RecordGroups } from './eventPages.js'
import { sliced } from './mergeSorted.js'

/** Filter of a scan, with its order and the number of records after which it ends. */
export interface PageScan extends EventFilter {
  ascending: boolean
  wanted: number
}

/** What a scan needs besides the events in memory. */
interface PageScanOptions {
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
