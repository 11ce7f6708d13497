/**
 * The points of series, kept as immutable segments per holder event (specification, "HF series"). A write adds a segment
 * beside the others; merging.ts puts them together in the background. Of points with one deltaTime the one written last
 * counts, by the stamps that points keep; so it does not matter which segments were merged when.
 */
import type { Account, Transaction } from '../engine/account.js'
import { accountKeys, nodeKeys } from '../engine/keys.js'
import type { Points } from '../model/points.js'
import { inOrder, joined } from './mergePoints.js'
import { splitPoints } from './split.js'
import type { Yielder } from '../engine/yield.js'
import { headOf, headToText, withMerged, type Head } from './head.js'
import { readingOf } from './readSegments.js'
import { removeSeriesVersions, advanceSeriesVersion, seriesVersion } from './versionVector.js'
import { encodeSegment, encodeUnstamped, stamped, type Segment, type Stamp, type UnstampedSegment } from './segment.js'

/** From so many points on, a write behind the end of a series is merged as it is. */
const MIN_MERGED = 4096

/** Followers are told the points of a write up to so many; what is more they read. */
const MAX_REPORTED = 65_536

/** Pages that are read before the first is asked for. */
const PAGES_AT_ONCE = 3

type Reader = { get(key: string): string | undefined }

/** Points in the pieces that become segments, encoded but for their stamps. */
export interface PreparedPoints {
  readonly pieces: readonly { points: Points; unstamped: UnstampedSegment }[]
}

/**
 * Encodes many points in turns, before the transaction that stages them, which then is short. They come in parts of the
 * same columns; parts that are in order are never put together.
 * @throws RangeError as `writePoints`
 */
export async function preparePoints(parts: readonly Points[], pause: Yielder): Promise<PreparedPoints> {
  const pieces: { points: Points; unstamped: UnstampedSegment }[] = []
  for (const part of areInOrder(parts) ? parts : [inOrder(joined(parts))]) {
    for (const piece of splitPoints({ ...part, stamps: [] })) {
      const due = pause()
      if (due !== undefined) await due
      pieces.push({ points: piece, unstamped: encodeUnstamped(piece) })
    }
  }
  return { pieces }
}

function areInOrder(parts: readonly Points[]): boolean {
  let before = -Infinity
  for (const part of parts) {
    if (inOrder(part) !== part || !((part.deltaTimes[0] ?? Infinity) > before)) return false
    before = part.deltaTimes.at(-1) ?? before
  }
  return true
}

/**
 * Stages points of the holder event `event`, with their journal entry; nothing when there are none. A point replaces the
 * one with its deltaTime, whole. `written` is the time in seconds. Points may come in any order; of several with one
 * deltaTime the last counts. Each segment of a large write has a stamp of its own, so that a peer may take in a part.
 * @throws RangeError when a deltaTime is not finite or the columns differ in length.
 */
export function writePoints(t: Transaction, event: string, points: Points | PreparedPoints, written: number): void {
  const { account: a, actor } = t
  const prepared = 'pieces' in points ? points.pieces : undefined
  const parts = 'pieces' in points ? points.pieces.map((piece) => piece.points) : splitPoints({ ...inOrder(points), stamps: [] })
  if (parts.length === 0) return
  // A clock that was set back must not let earlier points win.
  const earliest = (headOf(t, a, event)?.stamp ?? 0) + 1
  const begin = Math.max(Math.round(written * 1e6), earliest)
  const stampAt = (i: number): Stamp => ({ time: begin + i, actor })
  const pieces = parts.map(({ deltaTimes, columns }, i) => ({ deltaTimes, columns, stamps: [stampAt(i)] }))
  const encoded = prepared === undefined ? pieces.map(encodeSegment) : prepared.map(({ unstamped }, i) => stamped(unstamped, stampAt(i)))
  const count = parts.reduce((sum, { deltaTimes }) => sum + deltaTimes.length, 0)
  const time = begin + pieces.length - 1
  const previous = seriesVersion(t, a, event, actor) ?? 0
  const described = { actor, time, previous, segments: encoded }
  const sequence = t.journal('series', 'update', event, {
    change: advanceSeriesVersion(t, event, actor, time),
    ...(count > MAX_REPORTED ? {} : { about: { points: described } }),
  })
  keepSegments(t, event, sequence, pieces, encoded)
}

/** Stages segments, with their bytes, as ones of a series; `sequence` is that of the journal entry of the write. */
export function keepSegments(
  t: Transaction,
  event: string,
  sequence: number,
  segments: readonly Segment[],
  encoded: readonly Uint8Array[],
): void {
  const a = t.account
  const head: Head = headOf(t, a, event) ?? newHead(sequence)
  const { epoch } = head
  let after: Head = { ...head }
  const fields = new Set(head.fields)
  const isMerged = isMergedAlready(head, segments)
  for (const [i, { deltaTimes, columns, stamps }] of segments.entries()) {
    const count = deltaTimes.length
    const from = deltaTimes[0] as number
    const to = deltaTimes[count - 1] as number
    const key = isMerged
      ? accountKeys.points(a, event, epoch, from, to, count)
      : accountKeys.newPoints(a, event, epoch, after.next++, from, to, count)
    t.put(key, encoded[i] as Uint8Array)
    if (isMerged) after = withMerged(after, 1, count)
    else {
      after.fresh += 1
      after.points += count
    }
    after.last = Math.max(after.last, to)
    for (const { time } of stamps) after.stamp = Math.max(after.stamp, time)
    for (const name of columns.keys()) fields.add(name)
  }
  t.put(accountKeys.series(a, event), headToText({ ...after, fields: [...fields] }))
}

const newHead = (epoch: number): Head => ({
  epoch,
  fresh: 0,
  points: 0,
  merged: { segments: 0, points: 0 },
  oldest: 1,
  next: 1,
  last: -Infinity,
  stamp: 0,
  fields: [],
})

/** Whether many points lie behind the end of a series, in order: they are kept as they will be once merged. */
function isMergedAlready({ last }: Head, segments: readonly Segment[]): boolean {
  let before = last
  let points = 0
  for (const { deltaTimes } of segments) {
    if (!((deltaTimes[0] as number) > before)) return false
    before = deltaTimes.at(-1) as number
    points += deltaTimes.length
  }
  return points >= MIN_MERGED
}

/**
 * The points of a window of the series of `event`, at one moment: ascending, each deltaTime once. `fields` are names that
 * occur in the series, without deltaTime, none when the window is empty. Columns that are missing in a page are null in
 * it. Larger answers hold a moment of the database until they are read to their end or left by `return`.
 * @throws SegmentDamaged, also while pages are read.
 */
export async function readPoints(
  account: Account,
  event: string,
  window: { from: number; to: number },
): Promise<{ fields: string[]; pages: AsyncIterable<Points> }> {
  const { db } = account
  const snapshot = db.snapshot()
  const head = headOf({ get: (key) => db.get(key, snapshot) }, account.prefix, event)
  const pages = head === undefined ? undefined : readingOf(account, event, head, window, snapshot)
  let isReleased = false
  const release = async (): Promise<void> => {
    if (isReleased) return
    isReleased = true
    await pages?.return(undefined)
    await snapshot.close()
  }
  const next = async (): Promise<Points | undefined> => {
    try {
      const page = await pages?.next()
      if (page?.done === false) return page.value
    } catch (error) {
      await release()
      throw error
    }
    await release()
    return undefined
  }
  // The first pages are read at once: small answers hold nothing afterwards, read or not.
  const begun: Points[] = []
  while (!isReleased && begun.length < PAGES_AT_ONCE) {
    const page = await next()
    if (page !== undefined) begun.push(page)
  }
  const iterator: AsyncIterableIterator<Points> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      const value = begun.shift() ?? (isReleased ? undefined : await next())
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    async return() {
      begun.length = 0
      await release()
      return { done: true, value: undefined }
    },
  }
  return { fields: head === undefined || begun.length === 0 ? [] : head.fields, pages: iterator }
}

/** The largest deltaTime that is stored for a holder; undefined without points. */
export const lastDelta = (reader: Reader, account: string, event: string): number | undefined =>
  headOf(reader, account, event)?.last

/**
 * Stages the removal of all points of a holder, as `origin`, the number of a peer, asked for it, or this node. They are
 * gone for readers at once; the keeper erases them afterwards, and after a crash.
 */
export function removePoints(t: Transaction, event: string, origin?: number): void {
  const head = headOf(t, t.account, event)
  const change = removeSeriesVersions(t, event)
  if (head === undefined && change === undefined) return
  t.delete(accountKeys.series(t.account, event))
  if (head !== undefined) t.put(nodeKeys.erasingSeries(t.account, event, head.epoch), '')
  t.journal('series', 'delete', event, {
    ...(change === undefined ? {} : { change }),
    ...(origin === undefined ? {} : { origin }),
  })
}
