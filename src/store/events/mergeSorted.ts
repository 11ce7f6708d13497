/**
 * Sorted sequences of event records: slicing of pages, the merge of two sequences by time, and the merge of the indexes of
 * several streams, which returns each event once. `recordGroups` fetches the records of index entries.
 */
import type { Account } from '../engine/account.js'
import { PAGE_BYTES, type Database, type Snapshot } from '../engine/database.js'
import { accountKeys } from '../engine/keys.js'
import { mergeRanges, type KeyBounds, type RangeOrder } from '../engine/mergeRanges.js'
import { filtered, type Yielder } from '../engine/yield.js'
import { recordTime } from '../model/eventRecord.js'
import type { EventPredicate } from './eventFilter.js'

/** Returns pages without the first `skip` records, and with at most `limit` of the rest. */
export async function* sliced(pages: AsyncIterable<string[]>, skip: number, limit: number): AsyncGenerator<string[]> {
  let toSkip = skip
  let left = limit
  for await (const found of pages) {
    let page = found
    if (toSkip > 0) {
      page = found.slice(toSkip)
      toSkip -= found.length - page.length
    }
    if (page.length >= left) {
      yield page.slice(0, left)
      return
    }
    left -= page.length
    yield page
  }
}

interface Reading {
  pages: AsyncIterator<string[]>
  page: string[]
  at: number
  isOver: boolean
}

/** Reads until a record is available or none is left. */
async function fill(reading: Reading): Promise<void> {
  while (!reading.isOver && reading.at >= reading.page.length) {
    const next = await reading.pages.next()
    reading.isOver = next.done === true
    reading.page = next.done === true ? [] : next.value
    reading.at = 0
  }
}

/** Merges two sequences by time. Closes both when the consumer stops. */
export async function* mergedByTime(
  one: AsyncGenerator<string[]>,
  other: AsyncGenerator<string[]>,
  ascending: boolean,
): AsyncGenerator<string[]> {
  const [a, b]: [Reading, Reading] = [
    { pages: one, page: [], at: 0, isOver: false },
    { pages: other, page: [], at: 0, isOver: false },
  ]
  try {
    for (;;) {
      await fill(a)
      await fill(b)
      const merged: string[] = []
      for (;;) {
        const first = a.page[a.at]
        const second = b.page[b.at]
        if (first === undefined || second === undefined) break
        const isFirst = ascending ? recordTime(first) <= recordTime(second) : recordTime(first) >= recordTime(second)
        merged.push(isFirst ? first : second)
        if (isFirst) a.at += 1
        else b.at += 1
      }
      // Once one sequence ends, the other's pages pass through unchanged.
      for (const [rest, ended] of [[a, b], [b, a]] as const) {
        if (!ended.isOver) continue
        merged.push(...rest.page.slice(rest.at))
        rest.at = rest.page.length
      }
      yield merged
      if (a.isOver && b.isOver) return
    }
  } finally {
    await one.return(undefined)
    await other.return(undefined)
  }
}

/** Part of the query that the merge needs. */
interface MergeOrder extends RangeOrder {
  types?: (type: string) => boolean
}

/** Returns pages of matching records of some streams, in the order of the answer. Closes all indexes when the consumer stops. */
export async function* mergeStreams(
  account: Account,
  streams: ReadonlySet<string> | undefined,
  bounds: KeyBounds,
  order: MergeOrder,
  keep: EventPredicate,
  { snapshot, pause }: { snapshot: Snapshot; pause: Yielder },
): AsyncGenerator<string[]> {
  const { db, prefix } = account
  const { types } = order
  const indexes = [...(streams ?? [])].map((stream) => accountKeys.streamEvents(prefix, stream))
  const events = accountKeys.events(prefix)
  const recordKey = (end: string, type: string): string | undefined =>
    types === undefined || types(type) ? events + end : undefined
  const recordsOf = recordGroups(db, snapshot)
  for await (const keys of mergeRanges(db, indexes, bounds, order, snapshot, recordKey, pause)) {
    // An empty page lets the consumer stop a long search.
    if (keys.length === 0) yield []
    for await (const found of recordsOf(keys)) yield filtered(found, keep, pause)
  }
}

const FIRST_GROUP = 20
const MAX_GROUP_SIZE = 500
/** Growth factor of groups while records are small. */
const GROWTH = 4

/**
 * Creates a function that reads the existing records of keys, in order, in groups of about one database page. The record
 * size it measures carries over to the next keys.
 */
export function recordGroups(db: Database, snapshot: Snapshot): (keys: readonly string[]) => AsyncGenerator<string[]> {
  let size = FIRST_GROUP
  return async function* (keys) {
    for (let at = 0; at < keys.length; ) {
      const input = Math.min(size, keys.length - at)
      const { records, taken, bytes } = fitting(await db.getMany(keys.slice(at, at + input), snapshot))
      at += taken
      size = Math.max(1, Math.min(taken < input ? taken : size * GROWTH, MAX_GROUP_SIZE, Math.ceil((PAGE_BYTES * taken) / Math.max(1, bytes))))
      yield records
    }
  }
}

/** Returns the leading records that fit in a page, at least one. The next call reads the others again. */
function fitting(found: readonly (string | undefined)[]): { records: string[]; taken: number; bytes: number } {
  const records: string[] = []
  let taken = 0
  let bytes = 0
  for (const record of found) {
    const length = record?.length ?? 0
    if (taken > 0 && bytes + length > 2 * PAGE_BYTES) break
    taken += 1
    bytes += length
    if (record !== undefined) records.push(record)
  }
  return { records, taken, bytes }
}
