/** Reads the points of a series in pages, merging new segments over merged ones, in bounded memory. */
import type { Account } from '../engine/account.js'
import type { Database, Pages, Snapshot } from '../engine/database.js'
import { accountKeys } from '../engine/keys.js'
import type { Points } from '../model/points.js'
import { SegmentDamaged } from './bytes.js'
import { mergePoints, lowerBound } from './mergePoints.js'
import { slice, slicePoints } from './split.js'
import { freshPlace, mergedPlace, type FreshPlace, type Head, type SegmentKey } from './head.js'
import { decodeSegment, type Segment } from './segment.js'

export interface TimeWindow {
  from: number
  /** Exclusive bound. */
  to: number
}

/** Approximate number of points of a page from several segments. */
const PAGE_POINTS = 16_384
const MIN_POINTS = 256
/** Merged segments per read from disk. */
const STRIDE = 4

/** A decoded segment with its read position. */
interface Open {
  segment: Segment
  at: number
}

/** Returns the keys of unmerged segments that touch a window, by their smallest deltaTime. */
export async function freshPlaces(
  db: Database,
  account: string,
  event: string,
  { epoch, fresh, oldest }: Head,
  window: TimeWindow,
  snapshot: Snapshot,
): Promise<FreshPlace[]> {
  if (fresh === 0) return []
  const prefix = accountKeys.newPointsOf(account, event, epoch)
  const source = db.keys(accountKeys.newPointsSince(account, event, epoch, oldest), {}, snapshot)
  const places: FreshPlace[] = []
  try {
    for (let page = await source.next(1000); page.length > 0; page = await source.next(1000)) {
      for (const key of page) {
        const place = freshPlace(key, prefix)
        if (place.to >= window.from && place.from < window.to) places.push(place)
      }
    }
  } finally {
    await source.close()
  }
  return places.sort((a, b) => a.from - b.from)
}

/** Cursor over merged segments from the start of a window, with a look at the next. */
class MergedSegments {
  readonly #source: Pages<[string, Uint8Array]>
  readonly #prefix: string
  readonly #window: TimeWindow
  #page: [string, Uint8Array][] = []
  #at = 0
  #isAtEnd = false

  constructor(source: Pages<[string, Uint8Array]>, prefix: string, window: TimeWindow) {
    this.#source = source
    this.#prefix = prefix
    this.#window = window
  }

  /** Returns the smallest deltaTime of the next segment; Infinity when no other touches the window. */
  async nextFrom(): Promise<number> {
    if (this.#at === this.#page.length && !this.#isAtEnd) {
      this.#page = await this.#source.next(STRIDE)
      this.#at = 0
      this.#isAtEnd = this.#page.length === 0
    }
    const entry = this.#page[this.#at]
    if (entry === undefined) return Infinity
    const { from } = mergedPlace(entry[0], this.#prefix)
    if (from < this.#window.to) return from
    this.#isAtEnd = true
    this.#page = []
    this.#at = 0
    return Infinity
  }

  take(): Segment {
    const entry = this.#page[this.#at++]
    if (entry === undefined) throw new Error('There is no next segment.')
    return decodeSegment(entry[1])
  }
}

/** Returns the points of a window in a snapshot. `known` are its unmerged segments as `freshPlaces` returns them, if known. */
export async function* readingOf(
  { db, prefix: account }: Pick<Account, 'db' | 'prefix'>,
  event: string,
  head: Head,
  window: TimeWindow,
  snapshot: Snapshot,
  known?: readonly FreshPlace[],
): AsyncGenerator<Points> {
  if (!(window.from < window.to) || window.from > head.last) return
  const fresh = known ?? await freshPlaces(db, account, event, head, window, snapshot)
  const prefix = accountKeys.pointsOf(account, event, head.epoch)
  const source = db.byteEntries(accountKeys.pointsBehind(account, event, head.epoch, window.from), {}, snapshot)
  try {
    const merged = new MergedSegments(source, prefix, window)
    let opened = 0
    let open: Open[] = []
    for (;;) {
      const nextFresh = fresh[opened]?.from ?? Infinity
      const nextMerged = await merged.nextFrom()
      const next = Math.min(nextFresh, nextMerged)
      const reached = Math.min(...open.map(({ segment, at }) => segment.deltaTimes[at] as number))
      if (next < Infinity && next <= reached) {
        const segment = nextFresh <= nextMerged ? segmentAt(db, fresh[opened++] as FreshPlace, snapshot) : merged.take()
        const at = lowerBound(segment.deltaTimes, window.from)
        if (at < segment.deltaTimes.length) open.push({ segment, at })
        continue
      }
      if (open.length === 0) return
      const max = open.length === 1 ? Infinity : Math.max(MIN_POINTS, Math.floor(PAGE_POINTS / open.length))
      let limit = Math.min(next, window.to)
      for (const { segment, at } of open) limit = Math.min(limit, segment.deltaTimes[at + max] ?? Infinity)
      yield* pagesBelow(open, limit)
      if (limit >= window.to) return
      open = open.filter(({ segment, at }) => at < segment.deltaTimes.length)
    }
  } finally {
    await source.close()
  }
}

/** Returns and consumes the points of open segments below a limit. */
function* pagesBelow(open: Open[], limit: number): Generator<Points> {
  const parts: Segment[] = []
  for (const one of open) {
    const end = lowerBound(one.segment.deltaTimes, limit, one.at)
    if (end > one.at) parts.push(slice(one.segment, one.at, end))
    one.at = end
  }
  const [only] = parts
  if (parts.length === 1 && only !== undefined) yield slicePoints(only, 0, only.deltaTimes.length)
  else if (parts.length > 1) yield* mergePoints(parts).map(({ deltaTimes, columns }) => ({ deltaTimes, columns }))
}

/**
 * Reads a stored segment.
 * @throws SegmentDamaged
 */
export function segmentAt(db: Database, { key }: SegmentKey, snapshot: Snapshot): Segment {
  const bytes = db.getBytes(key, snapshot)
  if (bytes === undefined) throw new SegmentDamaged('is missing')
  return decodeSegment(bytes)
}
