/**
 * Applies points from another node: they keep their stamps, so that the same one of two with equal deltaTime wins on
 * all nodes.
 */
import type { Transaction } from '../engine/account.js'
import { select } from './mergePoints.js'
import { splitPoints, SIZES } from './split.js'
import { advanceSeriesVersion, seriesVersion } from './versionVector.js'
import { decodeSegment, encodeSegment, type Segment } from './segment.js'
import { storeSegments } from './series.js'

/** A piece of a series: the points of one actor after one stamp, up to another, unless later ones replaced them. */
export interface PointsBatch {
  actor: string
  /** Stamps in microseconds; `after` is 0 for all from the first on. */
  after: number
  upTo: number
  /** Encoded segments; all points have stamps of that actor in (after, upTo]. */
  segments: readonly Uint8Array[]
}

/** A piece with decoded segments. */
export interface ReadPiece extends PointsBatch {
  decoded: readonly Segment[]
}

/** Limit of values per piece, above what any node sends: some 32 megabytes in memory. */
const MAX_CELLS = 4 * 1024 * 1024

/**
 * Decodes the segments of a piece; undefined when they exceed the limit.
 * @throws SegmentDamaged when bytes are not a segment; RangeError when a point is not the actor's, or outside the piece
 */
export function readPiece(piece: PointsBatch): ReadPiece | undefined {
  const { actor, after, upTo, segments } = piece
  const decoded: Segment[] = []
  let cells = 0
  for (const bytes of segments) {
    const segment = decodeSegment(bytes)
    cells += segment.deltaTimes.length * (segment.columns.size + 1)
    if (cells > MAX_CELLS) return undefined
    decoded.push(segment)
    const { stamps } = segment
    for (const stamp of stamps) {
      if (stamp.actor !== actor) throw new RangeError('A point belongs to another actor.')
      if (!(stamp.time > after && stamp.time <= upTo)) throw new RangeError('The stamp of a point is outside the piece.')
    }
  }
  return { ...piece, decoded }
}

/**
 * Stages a piece of a series, with the journal entry of a change from the peer `origin`. Applies only points after this
 * node's version. Returns `incomplete` when points before the piece are missing here, `known` when all its points are
 * here.
 */
export function receivePoints(
  t: Transaction,
  event: string,
  piece: ReadPiece,
  origin: number,
): 'applied' | 'known' | 'incomplete' {
  const { actor, after, upTo } = piece
  const previous = seriesVersion(t, t.account, event, actor) ?? 0
  if (previous < after) return 'incomplete'
  if (upTo <= previous) return 'known'
  const segments: Segment[] = []
  const encoded: Uint8Array[] = []
  for (const [i, segment] of piece.decoded.entries()) {
    const missing = pointsAfter(segment, previous)
    if (missing === undefined) continue
    const isUnchanged = missing === segment && isOfSize(segment)
    for (const one of isUnchanged ? [missing] : splitPoints(missing)) {
      segments.push(one)
      encoded.push(isUnchanged ? (piece.segments[i] as Uint8Array) : encodeSegment(one))
    }
  }
  const about = { points: { actor, time: upTo, previous, segments: encoded } }
  const change = advanceSeriesVersion(t, event, actor, upTo)
  const sequence = t.journal('series', 'update', event, { change, about, origin })
  if (segments.length > 0) storeSegments(t, event, sequence, segments, encoded)
  return 'applied'
}

const isOfSize = ({ deltaTimes, columns }: Segment): boolean =>
  deltaTimes.length <= SIZES.points &&
  deltaTimes.length * columns.size <= SIZES.cells &&
  ![...columns.values()].some(({ kind }) => kind === 'string')

/** Returns the points of a segment with stamps later than `after`; the segment itself when all are, undefined when none is. */
function pointsAfter(segment: Segment, after: number): Segment | undefined {
  const { stamps, stampOf, deltaTimes } = segment
  if (stamps.every(({ time }) => time > after)) return segment
  if (stampOf === undefined) return undefined
  const rows: number[] = []
  for (let i = 0; i < deltaTimes.length; i++) {
    if ((stamps[stampOf[i] as number]?.time ?? 0) > after) rows.push(i)
  }
  return rows.length === 0 ? undefined : select(segment, Uint32Array.from(rows))
}
