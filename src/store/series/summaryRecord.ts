/**
 * Summary records of merged segments: totals of numeric columns by block of consecutive points. They derive from the
 * segments, and are written with them. A record that is missing or damaged is computed from its segment.
 *
 * Bytes: `format u8` `points` `blocks` `first deltaTimes` `last deltaTimes` `columns`, each `name` `size` `totals`, then
 * a CRC-32C of all that. Block i of b holds the points from floor(i * points / b) on. Totals are `counts`, if there are
 * nulls, `least`, `greatest` and raw `sums`.
 */
import { crc32c } from '../leveldb/encodings.js'
import type { Points } from '../model/points.js'
import { ByteReader, ByteWriter, SegmentDamaged } from './bytes.js'
import { decodeFloat64s, encodeFloat64s } from './float64Codec.js'
import type { SegmentKey } from './head.js'
import { MAX_CELLS, MAX_POINTS } from './segment.js'
import { addValues, newTotals, type Totals } from './totals.js'

/** Summary of a segment, by block. */
export interface SegmentSummary {
  /** Number of points of the segment. */
  points: number
  /** First and last deltaTime of each block. */
  first: Float64Array
  last: Float64Array
  /** Totals of the numeric columns. */
  columns: ReadonlyMap<string, Totals>
}

const FORMAT = 1
const CRC_BYTES = 4
/** Maximum number of points of a block. */
export const BLOCK_POINTS = 256

/** Returns the index of the first point of a block; the number of points for the index after the last block. */
export const blockStart = (points: number, blocks: number, block: number): number => Math.floor((block * points) / blocks)

/** Summarizes points; at least one. */
export function summarize({ deltaTimes, columns }: Points): SegmentSummary {
  const points = deltaTimes.length
  const blocks = Math.ceil(points / BLOCK_POINTS)
  const starts = Array.from({ length: blocks + 1 }, (_, block) => blockStart(points, blocks, block))
  const all = new Map<string, Totals>()
  for (const [name, column] of columns) {
    if (column.kind !== 'number') continue
    const totals = newTotals(blocks)
    for (let i = 0; i < blocks; i++) addValues(totals, i, column.values, starts[i] as number, starts[i + 1] as number)
    if (totals.count.some((count) => count > 0)) all.set(name, totals)
  }
  return {
    points,
    first: Float64Array.from(starts.slice(0, -1), (start) => deltaTimes[start] as number),
    last: Float64Array.from(starts.slice(1), (end) => deltaTimes[end - 1] as number),
    columns: all,
  }
}

/** Encodes a summary; equal summaries have equal bytes. */
export function encodeSummary({ points, first, last, columns }: SegmentSummary): Uint8Array {
  const out = new ByteWriter()
  out.byte(FORMAT)
  out.varint(points)
  out.varint(first.length)
  encodeFloat64s(out, first)
  encodeFloat64s(out, last)
  out.varint(columns.size)
  for (const [name, totals] of [...columns].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = Buffer.from(name, 'utf8')
    out.varint(bytes.length)
    out.append(bytes)
    const column = encodedTotals(totals, points)
    out.varint(column.length)
    out.append(column)
  }
  out.word(crc32c(out.bytes.subarray(0, out.length)))
  return out.written()
}

function encodedTotals({ count, min, max, sum }: Totals, points: number): Uint8Array {
  const out = new ByteWriter()
  const blocks = count.length
  const hasNulls = count.some((numbers, i) => numbers < blockStart(points, blocks, i + 1) - blockStart(points, blocks, i))
  out.byte(hasNulls ? 1 : 0)
  if (hasNulls) encodeFloat64s(out, count)
  // Blocks without numbers are written as zeros, since infinity cannot be a decimal.
  const orZero = (value: number, i: number): number => (count[i] === 0 ? 0 : value)
  encodeFloat64s(out, min.map(orZero))
  encodeFloat64s(out, max.map(orZero))
  const at = out.grow(8 * blocks)
  const view = new DataView(out.bytes.buffer)
  for (let i = 0; i < blocks; i++) view.setFloat64(at + 8 * i, sum[i] as number, true)
  return out.written()
}

/** Decodes the record of a segment, with the columns `fields`; undefined when it is damaged or of another segment. */
export function decodeSummary(bytes: Uint8Array, place: Pick<SegmentKey, 'from' | 'to' | 'count'>, fields: ReadonlySet<string>): SegmentSummary | undefined {
  try {
    const summary = readSummary(bytes, fields)
    const { points, first, last } = summary
    return points === place.count && first[0] === place.from && last.at(-1) === place.to ? summary : undefined
  } catch (error) {
    if (error instanceof SegmentDamaged) return undefined
    throw error
  }
}

function readSummary(bytes: Uint8Array, fields: ReadonlySet<string>): SegmentSummary {
  const end = bytes.length - CRC_BYTES
  const stored = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (end < 1 || stored.getUint32(end, true) !== crc32c(bytes.subarray(0, end))) {
    throw new SegmentDamaged('has a summary that does not match its checksum')
  }
  const from = new ByteReader(bytes.subarray(0, end))
  if (from.byte() !== FORMAT) throw new SegmentDamaged('has a summary of an unknown format')
  const points = from.varint(MAX_POINTS, 'points')
  const blocks = from.varint(points, 'blocks')
  if (blocks === 0) throw new SegmentDamaged('has a summary without blocks')
  const first = decodeFloat64s(from, blocks)
  const last = decodeFloat64s(from, blocks)
  const columns = new Map<string, Totals>()
  const count = from.varint(Math.floor(MAX_CELLS / blocks), 'columns')
  for (let i = 0; i < count; i++) {
    const name = Buffer.from(from.take(from.varint(from.left, 'bytes of a name'))).toString('utf8')
    const column = from.take(from.varint(from.left, 'bytes of a column'))
    if (fields.has(name)) columns.set(name, decodedTotals(new ByteReader(column), points, blocks))
  }
  if (from.left > 0) throw new SegmentDamaged('has a summary with bytes after its end')
  return { points, first, last, columns }
}

function decodedTotals(from: ByteReader, points: number, blocks: number): Totals {
  const hasNulls = from.byte() === 1
  const count = hasNulls
    ? decodeFloat64s(from, blocks)
    : Float64Array.from({ length: blocks }, (_, i) => blockStart(points, blocks, i + 1) - blockStart(points, blocks, i))
  const min = decodeFloat64s(from, blocks)
  const max = decodeFloat64s(from, blocks)
  const sums = from.take(8 * blocks)
  const view = new DataView(sums.buffer, sums.byteOffset, sums.length)
  const sum = Float64Array.from({ length: blocks }, (_, i) => view.getFloat64(8 * i, true))
  if (hasNulls) {
    for (let i = 0; i < blocks; i++) {
      if (count[i] !== 0) continue
      min[i] = Infinity
      max[i] = -Infinity
    }
  }
  return { count, min, max, sum }
}
