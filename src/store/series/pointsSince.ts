/**
 * Reads the points of a series that another node lacks: those of each actor after a stamp, in pieces by stamp, each
 * complete between its stamps. Segments are ordered by deltaTime. So a first pass reads only stamps and records the
 * segments of each actor; then windows of some megabytes are read from the segments concerned.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Account } from '../engine/account.js'
import { each, type Database, type Snapshot } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import { mergePoints, select } from './mergePoints.js'
import { splitPoints } from './split.js'
import { headOf, type Head } from './head.js'
import { seriesVersions } from './versionVector.js'
import type { PointsBatch } from './receivePoints.js'
import { SegmentDamaged } from './bytes.js'
import { decodeSegment, decodeStamps, encodeSegment, type Segment } from './segment.js'

export interface SinceLimits {
  /** Approximate encoded bytes of a piece; more when one stamp has more. */
  piece: number
  /** Values of a piece. */
  cells: number
  /** Approximate encoded bytes read at once. */
  window: number
}

export const SINCE_LIMITS: SinceLimits = { piece: 128 * 1024, cells: 128 * 1024, window: 512 * 1024 }

/** Points of an actor in a segment: their first and last stamp, and their weight. */
interface Part {
  key: string
  first: number
  last: number
  weight: number
}

/** Points read of one actor. */
interface Gathered {
  segment: Segment
  /** Stamp of each point. */
  times: Float64Array
  /** Weight of one point: its share of `SinceLimits.piece` in bytes or values, whichever is more. */
  weight: number
}

/**
 * Returns the points of the series of `event` after given versions, from a snapshot: for each actor, consecutive pieces up to its
 * version. `versions` are stamps in microseconds by actor; a missing actor means all its points. The snapshot stays open until
 * the generator ends or is closed with `return`.
 * @throws SegmentDamaged
 */
export async function* piecesSince(
  account: Account,
  event: string,
  versions: ReadonlyMap<string, number>,
  limits = SINCE_LIMITS,
): AsyncGenerator<PointsBatch> {
  const { db, prefix } = account
  const snapshot = db.snapshot()
  try {
    const reader = { get: (key: string) => db.get(key, snapshot) }
    const lacking = [...seriesVersions(reader, prefix, event)].filter(([actor, reach]) => reach > (versions.get(actor) ?? 0))
    if (lacking.length === 0) return
    const head = headOf(reader, prefix, event)
    const begins = new Map(lacking.map(([actor]) => [actor, versions.get(actor) ?? 0]))
    const places = head === undefined ? new Map<string, Part[]>() : await partsOf(db, prefix, event, head, snapshot, begins, limits)
    for (const [actor, reach] of lacking) {
      const about = { db, snapshot, actor, limits, parts: places.get(actor) ?? [] }
      yield* piecesOf(about, begins.get(actor) ?? 0, reach)
    }
  } finally {
    await snapshot.close()
  }
}

/** Returns the parts of segments in which each actor has points after its stamp. */
async function partsOf(
  db: Database,
  account: string,
  event: string,
  { epoch }: Head,
  snapshot: Snapshot,
  begins: ReadonlyMap<string, number>,
  limits: SinceLimits,
): Promise<Map<string, Part[]>> {
  const parts = new Map<string, Part[]>()
  for (const prefix of [accountKeys.newPointsOf(account, event, epoch), accountKeys.pointsOf(account, event, epoch)]) {
    for await (const [key, bytes] of each(db.byteEntries(under(prefix), {}, snapshot))) {
      const { stamps, length } = decodeStamps(bytes)
      const own = new Map<string, Part>()
      for (const { actor, time } of stamps) {
        const begin = begins.get(actor)
        if (begin === undefined || time <= begin) continue
        const part = own.get(actor)
        if (part === undefined) own.set(actor, { key, first: time, last: time, weight: 1 })
        else {
          part.first = Math.min(part.first, time)
          part.last = Math.max(part.last, time)
          part.weight += 1
        }
      }
      // Assumes equally many points per stamp; `gather` counts exactly.
      const whole = Math.max(bytes.length, (length * limits.piece) / limits.cells)
      for (const [actor, part] of own) {
        part.weight = (part.weight / stamps.length) * whole
        const list = parts.get(actor)
        if (list === undefined) parts.set(actor, [part])
        else list.push(part)
      }
      await yieldTurn()
    }
  }
  for (const list of parts.values()) list.sort((a, b) => a.first - b.first)
  return parts
}

interface Reading {
  db: Database
  snapshot: Snapshot
  actor: string
  limits: SinceLimits
  /** Ordered by their first stamps. */
  parts: readonly Part[]
}

async function* piecesOf(reading: Reading, begin: number, reach: number): AsyncGenerator<PointsBatch> {
  const { actor, limits } = reading
  let after = begin
  while (after < reach) {
    const { gathered, upTo } = await gather(reading, after, windowEnd(reading, after, reach))
    const ends = endsOf(gathered, upTo, limits.piece)
    for (const [i, end] of ends.entries()) {
      const from = ends[i - 1] ?? after
      yield { actor, after: from, upTo: end, segments: encoded(gathered, from, end) }
      await yieldTurn()
    }
    after = upTo
  }
}

/** Returns the last stamp of a window: as far as its parts stay below the limit, and at least one of them. */
function windowEnd({ parts, limits }: Reading, after: number, reach: number): number {
  let weight = 0
  for (const part of parts) {
    if (part.last <= after) continue
    // A part that has started is in the window whatever its end.
    if (weight > limits.window && part.first > after + 1) return part.first - 1
    weight += part.weight
  }
  return reach
}

/** Returns the actor's points in (after, end], fewer when they exceed a window. */
async function gather(
  { db, snapshot, actor, parts, limits }: Reading,
  after: number,
  end: number,
): Promise<{ gathered: Gathered[]; upTo: number }> {
  let gathered: Gathered[] = []
  let upTo = end
  let weight = 0
  for (const { key, first, last } of parts) {
    if (last <= after || first > upTo) continue
    const bytes = db.getBytes(key, snapshot)
    if (bytes === undefined) throw new SegmentDamaged('is missing')
    const one = pointsOf(decodeSegment(bytes), bytes.length, actor, after, upTo, limits)
    await yieldTurn()
    if (one === undefined) continue
    gathered.push(one)
    weight += one.times.length * one.weight
    if (weight <= 2 * limits.window) continue
    upTo = endsOf(gathered, upTo, limits.window)[0] ?? upTo
    gathered = gathered.flatMap((held) => within(held, after, upTo) ?? [])
    weight = gathered.reduce((sum, held) => sum + held.times.length * held.weight, 0)
  }
  return { gathered, upTo }
}

function pointsOf(
  segment: Segment,
  size: number,
  actor: string,
  after: number,
  upTo: number,
  { piece, cells }: SinceLimits,
): Gathered | undefined {
  const { stamps, stampOf, deltaTimes, columns } = segment
  const times = Float64Array.from(deltaTimes, (_, i) => {
    const stamp = stamps[stampOf?.[i] ?? 0]
    return stamp?.actor === actor ? stamp.time : -1
  })
  const weight = Math.max(size / deltaTimes.length, ((columns.size + 1) * piece) / cells)
  return within({ segment, times, weight }, after, upTo)
}

/** Returns those of some points with stamps in (after, upTo]. */
function within(points: Gathered, after: number, upTo: number): Gathered | undefined {
  const { segment, times, weight } = points
  const rows: number[] = []
  for (let i = 0; i < times.length; i++) if ((times[i] as number) > after && (times[i] as number) <= upTo) rows.push(i)
  if (rows.length === times.length) return points
  if (rows.length === 0) return undefined
  const places = Uint32Array.from(rows)
  return { segment: select(segment, places), times: Float64Array.from(places, (row) => times[row] as number), weight }
}

/** Returns the last stamps of pieces, so that each weighs at most `max` unless it has only one stamp; the last is `upTo`. */
function endsOf(gathered: readonly Gathered[], upTo: number, max: number): number[] {
  const weights = new Map<number, number>()
  for (const { times, weight } of gathered) {
    for (const time of times) weights.set(time, (weights.get(time) ?? 0) + weight)
  }
  const ends: number[] = []
  let held = 0
  let before = 0
  for (const time of Float64Array.from(weights.keys()).sort()) {
    const own = weights.get(time) ?? 0
    if (held > 0 && held + own > max) {
      ends.push(before)
      held = 0
    }
    held += own
    before = time
  }
  ends.push(upTo)
  return ends
}

/** Encodes the points of a piece as segments of the stored sizes. */
function encoded(gathered: readonly Gathered[], after: number, upTo: number): Uint8Array[] {
  const parts = gathered.flatMap((held) => within(held, after, upTo)?.segment ?? [])
  return parts.length === 0 ? [] : mergePoints(parts).flatMap((segment) => splitPoints(segment)).map(encodeSegment)
}
