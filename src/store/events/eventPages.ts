/**
 * Pages of an account's events in memory, in the order of time: the records as stored, with columns of what filters ask of every
 * event (eventPageScan.ts).
 *
 * A page never changes. An update returns pages in place of those that it concerns and shares the others, so that a scan sees
 * one state of the account while writers go on.
 */
import { recordEnd, recordGroupText, recordId, recordIsOfAccount, recordIsRunning, recordIsTrashed, recordStreamIds, recordTime } from '../model/eventRecord.js'

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

/** Flags of a row; `PERIOD` is set for events that end after their time. */
export const TRASHED = 1
export const RUNNING = 2
export const PERIOD = 4

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
    const number = numbers.size
    // A slice of a record would keep the whole record in memory.
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
  /** Adds a record; returns its time, which is NaN for a damaged one. */
  add(record: string): number
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
      return time
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
      const time = rows.add(record)
      // A search in pages relies on their order; reads from the database do not.
      if (!(time >= latest)) throw new RangeError('An event record is damaged.')
      latest = time
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
  /** Undefined once released: a client that reads a large answer slowly must not retain all events in memory. */
  pages: readonly EventPage[] | undefined
  readonly groups: RecordGroups
}
