/** Taking in points that another node has: they keep their stamps, so that of two with one deltaTime the same one wins. */
import type { Transaction } from '../engine/account.js'
import { select } from './mergePoints.js'
import { splitPoints, SIZES } from './split.js'
import { advanceSeriesVersion, seriesVersion } from './versionVector.js'
import { decodeSegment, encodeSegment, type Segment } from './segment.js'
import { keepSegments } from './series.js'

/** The points of one actor behind one stamp, up to another, as far as later ones left them. */
export interface PointsBatch {
  actor: string
  /** Stamps in microseconds; 0 for all from the first on. */
  after: number
  upTo: number
  /** Encoded segments, all of whose points have stamps of that actor in (after, upTo]. */
  segments: readonly Uint8Array[]
}

/** A piece with its segments read. */
export interface ReadPiece extends PointsBatch {
  decoded: readonly Segment[]
}

/** More values than a piece has of which a node sends one: some 32 megabytes in memory. */
const MAX_CELLS = 4 * 1024 * 1024

/**
 * Reads the segments of a piece; undefined when they hold more than a piece may.
 * @throws SegmentDamaged when bytes are no segment; RangeError when a point is not the actor's, or outside of the piece
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
      if (stamp.actor !== actor) throw new RangeError('A point was written by another process.')
      if (!(stamp.time > after && stamp.time <= upTo)) throw new RangeError('A point was written outside of the time told.')
    }
  }
  return { ...piece, decoded }
}

/**
 * Stages a piece of a series, with the journal entry of a change that came from the peer `origin`. Only what is behind
 * the reach of this node is taken.
 * @returns `incomplete` when points before it are not here, `known` when all are.
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
    const left = behind(segment, previous)
    if (left === undefined) continue
    const isAsItCame = left === segment && isOfSize(segment)
    for (const one of isAsItCame ? [left] : splitPoints(left)) {
      segments.push(one)
      encoded.push(isAsItCame ? (piece.segments[i] as Uint8Array) : encodeSegment(one))
    }
  }
  const about = { points: { actor, time: upTo, previous, segments: encoded } }
  const change = advanceSeriesVersion(t, event, actor, upTo)
  const sequence = t.journal('series', 'update', event, { change, about, origin })
  if (segments.length > 0) keepSegments(t, event, sequence, segments, encoded)
  return 'applied'
}

const isOfSize = ({ deltaTimes, columns }: Segment): boolean =>
  deltaTimes.length <= SIZES.points &&
  deltaTimes.length * columns.size <= SIZES.cells &&
  ![...columns.values()].some(({ kind }) => kind === 'string')

/** The points of a segment with stamps later than `after`; the segment itself when all are, undefined when none is. */
function behind(segment: Segment, after: number): Segment | undefined {
  const { stamps, stampOf, deltaTimes } = segment
  if (stamps.every(({ time }) => time > after)) return segment
  if (stampOf === undefined) return undefined
  const rows: number[] = []
  for (let i = 0; i < deltaTimes.length; i++) {
    if ((stamps[stampOf[i] as number]?.time ?? 0) > after) rows.push(i)
  }
  return rows.length === 0 ? undefined : select(segment, Uint32Array.from(rows))
}
