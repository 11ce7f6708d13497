/**
 * Points of series, stored as immutable segments per holder event (docs/interface/series.md). `writePoints` adds a segment,
 * `readPoints` reads a range. Of points with equal deltaTime the latest write wins, by the stamps stored with the points, so that
 * the order of merging does not matter.
 *
 * - segment.ts encodes a segment, with one codec for each type of values (int64Codec.ts, float64Codec.ts, stringCodec.ts).
 * - compactor.ts merges segments in the background (mergeSegments.ts, mergePoints.ts).
 * - readSummary.ts summarizes a range, from summary records of merged segments (summaryRecord.ts) where they suffice.
 * - versionVector.ts, pointsSince.ts and receivePoints.ts exchange points with other nodes.
 */
import type { Account, Transaction } from '../engine/account.js'
import { accountKeys, nodeKeys } from '../engine/keys.js'
import type { Points } from '../model/points.js'
import { inOrder, joined } from './mergePoints.js'
import { splitPoints } from './split.js'
import type { RecordReader } from '../engine/recordReader.js'
import type { Yielder } from '../engine/yield.js'
import { headOf, headToText, withMerged, type Head } from './head.js'
import { readingOf } from './readSegments.js'
import { removeSeriesVersions, advanceSeriesVersion, seriesVersion } from './versionVector.js'
import { encodeSegment, encodeUnstamped, stamped, type Segment, type Stamp, type UnstampedSegment } from './segment.js'
import { encodeSummary, summarize } from './summaryRecord.js'

/** Number of points from which a write after the end of a series is stored as merged. */
const MIN_MERGED = 4096

/** Maximum number of points of a write that followers receive; they read larger writes. */
const MAX_REPORTED = 65_536

/** Number of pages read ahead. */
const PAGES_AT_ONCE = 3

/** A piece that becomes a segment: its points, their encoding except for the stamp, and its summary record. */
interface PreparedPiece {
  points: Points
  unstamped: UnstampedSegment
  summary: Uint8Array
}

/** Points in pieces that become segments. */
export interface PreparedPoints {
  readonly pieces: readonly PreparedPiece[]
}

/**
 * Encodes many points with yields, before the transaction that stages them, which keeps it short. The parts have the
 * same columns; ordered parts are not concatenated.
 * @throws RangeError as `writePoints`
 */
export async function preparePoints(parts: readonly Points[], pause: Yielder): Promise<PreparedPoints> {
  const pieces: PreparedPiece[] = []
  for (const part of areInOrder(parts) ? parts : [inOrder(joined(parts))]) {
    for (const piece of splitPoints({ ...part, stamps: [] })) {
      const due = pause()
      if (due !== undefined) await due
      pieces.push({ points: piece, unstamped: encodeUnstamped(piece), summary: encodeSummary(summarize(piece)) })
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
 * Stages points of the holder event `event`, with their journal entry; does nothing without points. A point replaces
 * the whole point with its deltaTime. `written` is the time in seconds. Points may be in any order; of equal deltaTimes
 * the last wins. Each segment of a large write has its own stamp, so that a peer may apply a part.
 * @throws RangeError when a deltaTime is not finite or the columns differ in length
 */
export function writePoints(t: Transaction, event: string, points: Points | PreparedPoints, written: number): void {
  const { account: a, actor } = t
  const prepared = 'pieces' in points ? points.pieces : undefined
  const parts = 'pieces' in points ? points.pieces.map((piece) => piece.points) : splitPoints({ ...inOrder(points), stamps: [] })
  if (parts.length === 0) return
  // If the clock was set back, later writes must still win.
  const earliest = (headOf(t, a, event)?.stamp ?? 0) + 1
  const begin = Math.max(Math.round(written * 1e6), earliest)
  const stampAt = (i: number): Stamp => ({ time: begin + i, actor })
  const pieces = parts.map(({ deltaTimes, columns }, i) => ({ deltaTimes, columns, stamps: [stampAt(i)] }))
  const encoded = prepared === undefined ? pieces.map(encodeSegment) : prepared.map(({ unstamped }, i) => stamped(unstamped, stampAt(i)))
  const count = parts.reduce((sum, { deltaTimes }) => sum + deltaTimes.length, 0)
  const time = begin + pieces.length - 1
  const previous = seriesVersion(t, a, event, actor) ?? 0
  const detail = { actor, time, previous, segments: encoded }
  const sequence = t.journal('series', 'update', event, {
    change: advanceSeriesVersion(t, event, actor, time),
    ...(count > MAX_REPORTED ? {} : { about: { points: detail } }),
  })
  storeSegments(t, event, sequence, pieces, encoded, prepared?.map(({ summary }) => summary))
}

/**
 * Stages segments of a series with their bytes, and with their summary records if they are stored as merged. `sequence` is that of
 * the journal entry of the write.
 */
export function storeSegments(
  t: Transaction,
  event: string,
  sequence: number,
  segments: readonly Segment[],
  encoded: readonly Uint8Array[],
  summaries?: readonly Uint8Array[],
): void {
  const a = t.account
  const head: Head = headOf(t, a, event) ?? newHead(sequence)
  const { epoch } = head
  let after: Head = { ...head }
  const fields = new Set(head.fields)
  const isMerged = isMergedAlready(head, segments)
  for (const [i, segment] of segments.entries()) {
    const { deltaTimes, columns, stamps } = segment
    const count = deltaTimes.length
    const from = deltaTimes[0] as number
    const to = deltaTimes[count - 1] as number
    const key = isMerged
      ? accountKeys.points(a, event, epoch, from, to, count)
      : accountKeys.newPoints(a, event, epoch, after.next++, from, to, count)
    t.put(key, encoded[i] as Uint8Array)
    if (isMerged) {
      t.put(accountKeys.pointsSummary(a, event, epoch, from, to, count), summaries?.[i] ?? encodeSummary(summarize(segment)))
      after = withMerged(after, 1, count)
    } else {
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

/** Checks whether many points follow the end of a series in order; they are stored as merged at once. */
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
 * Returns the points of a window of the series of `event`, from a snapshot: ascending, each deltaTime once. `fields` are the
 * names in the series without deltaTime, empty when the window is. Columns missing in a page are null there. Larger answers keep
 * the snapshot open until their generator ends or is closed with `return`.
 * @throws SegmentDamaged, also while pages are read
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
  // The first pages are read at once: small answers hold no snapshot afterwards.
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

/** Returns the largest deltaTime stored for a holder; undefined without points. */
export const lastDelta = (reader: RecordReader, account: string, event: string): number | undefined =>
  headOf(reader, account, event)?.last

/**
 * Stages the removal of all points of a holder; `origin` is the number of the peer that requested it, if any. Readers
 * no longer see them; the compactor erases them afterwards, and after a crash.
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
