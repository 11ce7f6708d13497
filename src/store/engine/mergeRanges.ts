/** Merges key ranges with equal key suffixes into one sequence ordered by suffix, without duplicates. */
import type { Database, Pages, Snapshot } from './database.js'
import { yieldEvery, type Yielder } from './yield.js'

/** Bounds on key suffixes `<time><id>`: `from` included unless exclusive, `before` excluded. */
export interface KeyBounds {
  from: string
  exclusive: boolean
  before: string
}

export interface RangeOrder {
  ascending: boolean
  /** Number of entries wanted; determines the size of read-ahead. */
  wanted: number
}

/** Maps an entry to a result; undefined skips it. */
type Take = (end: string, value: string) => string | undefined

/** One range, read ahead. */
interface Cursor {
  source: Pages<[string, string]>
  prefixLength: number
  page: [string, string][]
  at: number
  /** Number of entries to read next. */
  size: number
  /** Suffix of the current key; '' at the end of the range. */
  key: string
  value: string
}

const MAX_PAGE_SIZE = 200
const MIN_PAGE_SIZE = 10

/** Moves to the next entry already read; returns false when there is none. */
function step(cursor: Cursor): boolean {
  cursor.at += 1
  const entry = cursor.page[cursor.at]
  cursor.key = entry?.[0].slice(cursor.prefixLength) ?? ''
  cursor.value = entry?.[1] ?? ''
  return entry !== undefined
}

/** Moves to the next entry; returns false at the end. */
async function advance(cursor: Cursor): Promise<boolean> {
  if (step(cursor)) return true
  cursor.page = await cursor.source.next(cursor.size)
  cursor.size = Math.min(cursor.size * 2, MAX_PAGE_SIZE)
  cursor.at = -1
  return step(cursor)
}

/**
 * Returns groups of the results of `take` for the entries under some prefixes, in suffix order. Groups may be empty, so
 * that a consumer can stop a long search with few results. Closes all ranges when the consumer stops.
 */
export async function* mergeRanges(
  db: Database,
  prefixes: readonly string[],
  bounds: KeyBounds,
  order: RangeOrder,
  snapshot: Snapshot,
  take: Take,
  pause: Yielder = yieldEvery(),
): AsyncGenerator<string[]> {
  const cursors: Cursor[] = []
  const share = Math.ceil(order.wanted / Math.max(1, prefixes.length))
  const size = Math.max(MIN_PAGE_SIZE, Math.min(share, MAX_PAGE_SIZE))
  try {
    for (const prefix of prefixes) {
      const low = bounds.exclusive ? { gt: prefix + bounds.from } : { gte: prefix + bounds.from }
      const range = { ...low, lt: prefix + bounds.before }
      const source = db.entries(range, { reverse: !order.ascending }, snapshot)
      cursors.push({ source, prefixLength: prefix.length, page: [], at: -1, size, key: '', value: '' })
    }
    await Promise.all(cursors.map(advance))
    const live = cursors.filter((cursor) => cursor.key !== '')
    yield* drain(live, order, take, pause)
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.source.close()))
  }
}

const MAX_GROUP_SIZE = 200
const MIN_GROUP_SIZE = 20
/** Entries read after which a group is returned, however small. */
const LONG_SEARCH = 5000
/** Entries between two checks of the clock. */
const STEP = 64

async function* drain(live: Cursor[], { ascending, wanted }: RangeOrder, take: Take, pause: Yielder): AsyncGenerator<string[]> {
  const before = ascending
    ? (a: Cursor, b: Cursor): boolean => a.key < b.key
    : (a: Cursor, b: Cursor): boolean => a.key > b.key
  const size = Math.min(MAX_GROUP_SIZE, Math.max(MIN_GROUP_SIZE, wanted))
  for (let at = (live.length >> 1) - 1; at >= 0; at--) sink(live, at, before)
  let group: string[] = []
  let seen = 0
  let last = ''
  for (let front = live[0]; front !== undefined; front = live[0]) {
    if (front.key !== last) {
      last = front.key
      const taken = take(last, front.value)
      if (taken !== undefined) group.push(taken)
    }
    // Entries already read need no turn of the event loop.
    if (!step(front) && !(await advance(front))) {
      const end = live.pop()
      if (end !== undefined && end !== front) live[0] = end
    }
    sink(live, 0, before)
    seen += 1
    if (seen % STEP === 0) {
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
    if (group.length < size && seen < LONG_SEARCH) continue
    yield group
    group = []
    seen = 0
  }
  if (group.length > 0) yield group
}

/** Moves an item of a binary heap down to its place. */
function sink(heap: Cursor[], start: number, before: (a: Cursor, b: Cursor) => boolean): void {
  const item = heap[start]
  if (item === undefined) return
  let at = start
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    if (left === undefined) break
    const child = right !== undefined && before(right, left) ? right : left
    if (!before(child, item)) break
    heap[at] = child
    at = child === left ? 2 * at + 1 : 2 * at + 2
  }
  heap[at] = item
}
