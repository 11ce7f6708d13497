/** Merges the indexes of several streams into one sequence by time, each event once. */
import type { Account } from './account.js'
import type { Pages, Snapshot } from './database.js'
import type { Keep } from './eventFilter.js'
import { accountKeys } from './keys.js'

/** Bounds on `<time><id>`: `from` included unless exclusive, `before` excluded. */
export interface KeyBounds {
  from: string
  exclusive: boolean
  before: string
}

/** What the merge needs to know of the query. */
export interface MergeOrder {
  ascending: boolean
  types?: (type: string) => boolean
  /** How many kept records are wanted: what is read ahead follows it. */
  wanted: number
}

/** One stream's index, read ahead. */
interface Cursor {
  source: Pages<[string, string]>
  prefixLength: number
  page: [string, string][]
  at: number
  /** How much to read next. */
  size: number
  /** The key now at the front, `<time><id>`; '' at the end. */
  key: string
  type: string
}

const LARGEST_PAGE = 200
const SMALLEST_PAGE = 10

/** Moves to the next entry that has been read ahead; false when there is none. */
function step(cursor: Cursor): boolean {
  cursor.at += 1
  const entry = cursor.page[cursor.at]
  cursor.key = entry?.[0].slice(cursor.prefixLength) ?? ''
  cursor.type = entry?.[1] ?? ''
  return entry !== undefined
}

/** Moves to the next entry; false at the end. */
async function advance(cursor: Cursor): Promise<boolean> {
  if (step(cursor)) return true
  cursor.page = await cursor.source.next(cursor.size)
  cursor.size = Math.min(cursor.size * 2, LARGEST_PAGE)
  cursor.at = -1
  return step(cursor)
}

/**
 * Pages of kept records of some streams, in the order of the answer. When the consumer leaves, every index that was
 * opened is closed.
 */
export async function* mergeStreams(
  account: Account,
  streams: ReadonlySet<string> | undefined,
  bounds: KeyBounds,
  order: MergeOrder,
  keep: Keep,
  snapshot: Snapshot,
): AsyncGenerator<string[]> {
  const cursors: Cursor[] = []
  const share = Math.ceil(order.wanted / Math.max(1, streams?.size ?? 0))
  const size = Math.max(SMALLEST_PAGE, Math.min(share, LARGEST_PAGE))
  try {
    for (const stream of streams ?? []) {
      const prefix = accountKeys.streamEvents(account.prefix, stream)
      const low = bounds.exclusive ? { gt: prefix + bounds.from } : { gte: prefix + bounds.from }
      const range = { ...low, lt: prefix + bounds.before }
      const source = account.db.entries(range, { reverse: !order.ascending }, snapshot)
      cursors.push({ source, prefixLength: prefix.length, page: [], at: -1, size, key: '', type: '' })
    }
    await Promise.all(cursors.map(advance))
    const live = cursors.filter((cursor) => cursor.key !== '')
    yield* drain(account, live, order, keep, snapshot)
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.source.close()))
  }
}

const LARGEST_GROUP = 200
const SMALLEST_GROUP = 20

async function* drain(
  account: Account,
  live: Cursor[],
  { ascending, types, wanted }: MergeOrder,
  keep: Keep,
  snapshot: Snapshot,
): AsyncGenerator<string[]> {
  const prefix = accountKeys.events(account.prefix)
  const before = ascending
    ? (a: Cursor, b: Cursor): boolean => a.key < b.key
    : (a: Cursor, b: Cursor): boolean => a.key > b.key
  const group = Math.min(LARGEST_GROUP, Math.max(SMALLEST_GROUP, wanted))
  for (let at = (live.length >> 1) - 1; at >= 0; at--) sink(live, at, before)
  let keys: string[] = []
  let last = ''
  for (let front = live[0]; front !== undefined; front = live[0]) {
    if (front.key !== last) {
      last = front.key
      if (types === undefined || types(front.type)) keys.push(prefix + last)
    }
    // What is read ahead needs no turn of the event loop.
    if (!step(front) && !(await advance(front))) {
      const end = live.pop()
      if (end !== undefined && end !== front) live[0] = end
    }
    sink(live, 0, before)
    if (keys.length < group) continue
    yield await read(account, keys, keep, snapshot)
    keys = []
  }
  if (keys.length > 0) yield await read(account, keys, keep, snapshot)
}

/** Restores the order of a binary heap below an item that may come later than those below it. */
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

async function read(account: Account, keys: string[], keep: Keep, snapshot: Snapshot): Promise<string[]> {
  const found = await account.db.getMany(keys, snapshot)
  return found.filter((record): record is string => record !== undefined && keep(record))
}
