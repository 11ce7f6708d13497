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

/** Dependencies of a scan besides the events in memory. */
interface PageScanOptions {
  pause: Yielder
  /** Returns all matching records from the database, in the order of the answer. */
  fromDisk(): AsyncGenerator<string[]>
  /** True when the database that `fromDisk` reads has the same events. */
  isSame: boolean
}

/** Number of records after which a scan hands over what it found. Most answers are complete by then. */
const HAND_OVER = 1000

/**
 * Returns the matching records in the order of the answer. The filter has neither a time of modification nor `runningOnly`, for
 * which there are indexes. When the pages are released meanwhile, the scan goes on from the database.
 */
export async function* scanPages(loaded: AccountPages, scan: PageScan, { pause, fromDisk, isSame }: PageScanOptions): AsyncGenerator<string[]> {
  const pages = createPageReader(loaded, scan)
  let found: string[] = []
  let taken = 0
  for (let rows = pages.next(scan.wanted); rows !== undefined; rows = pages.next(scan.wanted - taken)) {
    for (const record of rows) found.push(record)
    taken += rows.length
    const pausing = pause()
    if (pausing !== undefined) await pausing
    if (found.length < HAND_OVER || taken >= scan.wanted) continue
    // After a part from memory, the rest could only come from the same events.
    if (!isSame) break
    const page = found
    found = []
    yield page
  }
  if (!pages.isComplete && !isSame) yield* sliced(fromDisk(), 0, scan.wanted)
  else {
    if (found.length > 0) yield found
    if (!pages.isComplete) yield* sliced(fromDisk(), taken, scan.wanted - taken)
  }
}

/** Maximum number of pages that are scanned at once: a tenth of a millisecond, or some milliseconds if all their streams differ. */
const MAX_PAGES_AT_ONCE = 16

/** Returns what `scanPages` finds, unless that takes more than some pages. The filter inspects streams, types and times only. */
export function scanPagesAtOnce(loaded: AccountPages, scan: PageScan): string[] | undefined {
  const pages = createPageReader(loaded, scan)
  const found: string[] = []
  for (let read = 0; read < MAX_PAGES_AT_ONCE; read++) {
    const rows = pages.next(scan.wanted - found.length)
    if (rows === undefined) return pages.isComplete ? found : undefined
    for (const record of rows) found.push(record)
    if (found.length >= scan.wanted) return found
  }
  return undefined
}

/** Reads pages one by one. It holds none in between, so that they can be released. */
interface PageReader {
  /** Returns up to `most` matching records of the next page; undefined after the last one, and once the pages are released. */
  next(most: number): string[] | undefined
  /** True after the last page. */
  readonly isComplete: boolean
}

function createPageReader(loaded: AccountPages, scan: PageScan): PageReader {
  const { ascending, window: { from, to } = { from: -Infinity, to: Infinity } } = scan
  const test = rowTest(scan, loaded.groups)
  const step = ascending ? 1 : -1
  const newest = pageAt(loaded.pages ?? [], to)
  const last = ascending ? newest : 0
  let n = ascending ? 0 : newest
  let isComplete = false
  return {
    next(most) {
      const { pages } = loaded
      if (pages === undefined) return undefined
      for (; most > 0 && step * (last - n) >= 0; n += step) {
        const page = pages[n]
        if (page === undefined || page.maxEnd < from) continue
        n += step
        return rowsOf(page, { from, to }, ascending, test, most)
      }
      isComplete = true
      return undefined
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
const pageAt = (pages: readonly EventPage[], time: number): number => countUpTo(pages.length, (at) => pages[at]?.times[0], time) - 1

/** Returns the number of rows of a page whose time is `time` or earlier. */
const rowsUpTo = ({ times }: EventPage, time: number): number => countUpTo(times.length, (at) => times[at], time)

/** Returns how many of `length` sorted times are `time` or earlier. */
function countUpTo(length: number, timeAt: (at: number) => number | undefined, time: number): number {
  let low = 0
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1
    if ((timeAt(middle) ?? 0) <= time) low = middle + 1
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
