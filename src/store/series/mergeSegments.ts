/**
 * Merges the segments of a series in bounded steps. New segments of similar size become one of the next size; large
 * ones are merged into the segments that do not overlap. A step reads a snapshot and replaces what it read in one
 * write. Concurrent writers only add segments and never change one.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Account } from '../engine/account.js'
import type { Database, Snapshot } from '../engine/database.js'
import { accountKeys } from '../engine/keys.js'
import { mergePoints, lowerBound } from './mergePoints.js'
import { splitPoints, SIZES, slice, type Sizes } from './split.js'
import { headOf, headToText, mergedPlace, withMerged, type FreshPlace, type Head, type SegmentKey } from './head.js'
import { freshPlaces, segmentAt } from './readSegments.js'
import { encodeSegment, type Segment } from './segment.js'
import { encodeSummary, summarize } from './summaryRecord.js'

export interface MergeLimits {
  /** Number of new segments of similar size merged at once; the next size has so many times the points. */
  fanIn: number
  /** Maximum number of merged segments that one step rewrites. */
  overlapped: number
  /** Approximate number of points that one step takes from new segments. */
  points: number
  sizes: Sizes
}

export const MERGE_LIMITS: MergeLimits = { fanIn: 16, overlapped: 4, points: 16_384, sizes: SIZES }

/** Returns the number of points from which a new segment is merged by itself. */
const largeFrom = ({ points }: Sizes): number => points / 2

/** Unmerged part of a series when there was nothing to merge. */
export type UnmergedSegments = Pick<Head, 'fresh' | 'points'>

/** Checks whether a series that has grown may need merging. */
export const mayMerge = (head: UnmergedSegments, left: UnmergedSegments, limits = MERGE_LIMITS): boolean =>
  head.fresh >= left.fresh + limits.fanIn || head.points >= left.points + largeFrom(limits.sizes)

const EVERYTHING = { from: -Infinity, to: Infinity }

/** Inputs of a step. */
interface Reading {
  db: Database
  account: string
  event: string
  head: Head
  snapshot: Snapshot
  limits: MergeLimits
}

/** A segment to be stored. */
interface Piece extends Omit<SegmentKey, 'key'> {
  bytes: Uint8Array
}

/** A merged segment to be stored, with its summary record. */
interface MergedPiece extends Piece {
  summary: Uint8Array
}

/** Segments to be replaced, and their replacements. */
interface Swap {
  epoch: number
  /** Lower bound of the numbers of the remaining new segments. */
  oldest: number
  fresh: FreshPlace[]
  merged: SegmentKey[]
  nextFresh: Piece[]
  nextMerged: MergedPiece[]
}

/**
 * Runs one step of merging the series of `event`, if needed; returns whether more may follow. Steps of one series run
 * one at a time.
 * @throws SegmentDamaged, and errors of the write
 */
export async function mergeStep(account: Account, event: string, limits = MERGE_LIMITS): Promise<boolean> {
  const { db, prefix } = account
  const snapshot = db.snapshot()
  let swap
  try {
    const head = headOf({ get: (key) => db.get(key, snapshot) }, prefix, event)
    if (head === undefined || head.fresh === 0) return false
    swap = await planned({ db, account: prefix, event, head, snapshot, limits })
  } finally {
    await snapshot.close()
  }
  return swap !== undefined && (await swapped(account, event, swap))
}

type Plan = Omit<Swap, 'epoch' | 'oldest'>

async function planned(reading: Reading): Promise<Swap | undefined> {
  const { db, account, event, head, snapshot } = reading
  const fresh = await freshPlaces(db, account, event, head, EVERYTHING, snapshot)
  const plan = await planOf(reading, fresh)
  if (plan === undefined) return undefined
  const stay = fresh.filter((place) => !plan.fresh.includes(place)).map(({ number }) => number)
  return { ...plan, epoch: head.epoch, oldest: Math.min(head.next, ...stay) }
}

async function planOf(reading: Reading, fresh: FreshPlace[]): Promise<Plan | undefined> {
  const { fanIn, sizes } = reading.limits
  const large = fresh.filter(({ count }) => count >= fanIn ** 2)
  if (large.length >= fanIn || large.some(({ count }) => count >= largeFrom(sizes))) return lifted(reading, large)
  for (const [min, max] of [[1, fanIn], [fanIn, fanIn ** 2]] as const) {
    const alike = fresh.filter(({ count }) => count >= min && count < max)
    if (alike.length >= fanIn) return joined(reading, alike.slice(0, fanIn * 4))
  }
  return undefined
}

/** Joins new segments into one; more than one goes to the segments that do not overlap. */
async function joined(reading: Reading, fresh: FreshPlace[]): Promise<Plan> {
  const pieces = mergePoints(await segmentsAt(reading, fresh)).flatMap((segment) => splitPoints(segment, reading.limits.sizes))
  if (pieces.length > 1) return lifted(reading, fresh)
  return { fresh, merged: [], nextFresh: await encoded(pieces), nextMerged: [] }
}

/** Merges new segments with the merged ones they overlap, up to the limit; the rest stays new. */
async function lifted(reading: Reading, candidates: FreshPlace[]): Promise<Plan> {
  const { limits } = reading
  let points = 0
  const chosen = candidates.filter(({ count }) => (points += count) - count < limits.points)
  const [first] = chosen
  const last = Math.max(...chosen.map(({ to }) => to))
  if (first === undefined) throw new Error('There is nothing to merge.')
  const below = await mergedFrom(reading, first.from, last)
  const limit = below[limits.overlapped]?.from ?? Infinity
  const merged = [...(await smallBefore(reading, first.from)), ...below.slice(0, limits.overlapped)]
  const fresh = chosen.filter(({ from }) => from < limit)
  const within: Segment[] = await segmentsAt(reading, merged)
  const beyond: Segment[] = []
  for (const segment of await segmentsAt(reading, fresh)) {
    const end = lowerBound(segment.deltaTimes, limit)
    if (end > 0) within.push(slice(segment, 0, end))
    if (end < segment.deltaTimes.length) beyond.push(slice(segment, end, segment.deltaTimes.length))
  }
  const inPieces = (segments: Segment[]): Segment[] => mergePoints(segments).flatMap((segment) => splitPoints(segment, limits.sizes))
  await yieldTurn()
  const nextMerged = await summarized(inPieces(within))
  return { fresh, merged, nextMerged, nextFresh: beyond.length === 0 ? [] : await encoded(inPieces(beyond)) }
}

/** Returns the merged segments that touch the range between two deltaTimes: at most one more than a step rewrites. */
async function mergedFrom({ db, account, event, head, snapshot, limits }: Reading, from: number, to: number): Promise<SegmentKey[]> {
  const prefix = accountKeys.pointsOf(account, event, head.epoch)
  const range = accountKeys.pointsBehind(account, event, head.epoch, from)
  const source = db.keys(range, { limit: limits.overlapped + 1 }, snapshot)
  try {
    const places = (await source.next(limits.overlapped + 1)).map((key) => mergedPlace(key, prefix))
    return places.filter((place) => place.from <= to)
  } finally {
    await source.close()
  }
}

/** Returns the merged segment that ends before a deltaTime if it is small, so that it grows. */
async function smallBefore({ db, account, event, head, snapshot, limits }: Reading, from: number): Promise<SegmentKey[]> {
  const prefix = accountKeys.pointsOf(account, event, head.epoch)
  const { gte } = accountKeys.pointsBehind(account, event, head.epoch, from)
  const source = db.keys({ gte: prefix, lt: gte }, { reverse: true, limit: 1 }, snapshot)
  try {
    const places = (await source.next(1)).map((key) => mergedPlace(key, prefix))
    return places.filter(({ count }) => count <= limits.sizes.points / 2)
  } finally {
    await source.close()
  }
}

async function segmentsAt({ db, snapshot }: Reading, places: readonly SegmentKey[]): Promise<Segment[]> {
  const segments = []
  for (const place of places) {
    segments.push(segmentAt(db, place, snapshot))
    await yieldTurn()
  }
  return segments
}

async function encoded(segments: readonly Segment[]): Promise<Piece[]> {
  const pieces = []
  for (const segment of segments) {
    const { deltaTimes } = segment
    const count = deltaTimes.length
    pieces.push({
      from: deltaTimes[0] as number,
      to: deltaTimes[count - 1] as number,
      count,
      bytes: encodeSegment(segment),
    })
    await yieldTurn()
  }
  return pieces
}

async function summarized(segments: readonly Segment[]): Promise<MergedPiece[]> {
  const pieces = await encoded(segments)
  return pieces.map((piece, i) => ({ ...piece, summary: encodeSummary(summarize(segments[i] as Segment)) }))
}

const pointsOf = (places: readonly { count: number }[]): number => places.reduce((sum, { count }) => sum + count, 0)

/** Writes the result of a step, unless the series was removed meanwhile. */
function swapped(account: Account, event: string, swap: Swap): Promise<boolean> {
  const { epoch, oldest, fresh, merged, nextFresh, nextMerged } = swap
  return account.write((t) => {
    const a = t.account
    const head = headOf(t, a, event)
    if (head?.epoch !== epoch) return false
    for (const { key } of [...fresh, ...merged]) t.delete(key)
    for (const { from, to, count } of merged) t.delete(accountKeys.pointsSummary(a, event, epoch, from, to, count))
    for (const { from, to, count, bytes, summary } of nextMerged) {
      t.put(accountKeys.points(a, event, epoch, from, to, count), bytes)
      t.put(accountKeys.pointsSummary(a, event, epoch, from, to, count), summary)
    }
    for (const [i, { from, to, count, bytes }] of nextFresh.entries()) {
      t.put(accountKeys.newPoints(a, event, epoch, head.next + i, from, to, count), bytes)
    }
    const after: Head = {
      ...withMerged(head, nextMerged.length - merged.length, pointsOf(nextMerged) - pointsOf(merged)),
      fresh: head.fresh - fresh.length + nextFresh.length,
      points: head.points - pointsOf(fresh) + pointsOf(nextFresh),
      oldest,
      next: head.next + nextFresh.length,
    }
    t.put(accountKeys.series(a, event), headToText(after))
    return true
  })
}
