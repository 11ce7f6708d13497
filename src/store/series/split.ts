/** Splits segments into ranges and bounded sizes, as pure functions. */
import type { Column, Points } from '../model/points.js'
import type { Segment } from './segment.js'

/** Returns a range of a segment's points. */
export function slice(segment: Segment, from: number, to: number): Segment {
  if (from === 0 && to === segment.deltaTimes.length) return segment
  const { stamps, stampOf } = segment
  return {
    ...slicePoints(segment, from, to),
    stamps,
    ...(stampOf === undefined ? {} : { stampOf: stampOf.subarray(from, to) }),
  }
}

/** Returns a range of points, without stamps. */
export function slicePoints({ deltaTimes, columns }: Points, from: number, to: number): Points {
  if (from === 0 && to === deltaTimes.length) return { deltaTimes, columns }
  const parts = new Map<string, Column>()
  for (const [name, column] of columns) {
    if (column.kind === 'null') parts.set(name, column)
    else if (column.kind === 'number') parts.set(name, { kind: 'number', values: column.values.subarray(from, to) })
    else if (column.kind === 'string') parts.set(name, { kind: 'string', values: column.values.slice(from, to) })
    else parts.set(name, { kind: 'boolean', values: column.values.slice(from, to) })
  }
  return { deltaTimes: deltaTimes.subarray(from, to), columns: parts }
}

/** Limits on the size of segments. */
export interface Sizes {
  points: number
  /** Values of all columns together. */
  cells: number
  /** UTF-16 units of all texts together; a single point may exceed it. */
  text: number
}

/** Sizes of stored segments: read in about a millisecond, some 8 to 64 kilobytes. */
export const SIZES: Sizes = { points: 8192, cells: 65_536, text: 262_144 }

/** Splits a segment into segments of bounded size, as even as their values allow. */
export function splitPoints(segment: Segment, sizes: Sizes = SIZES): Segment[] {
  const length = segment.deltaTimes.length
  const max = Math.max(1, Math.min(sizes.points, Math.floor(sizes.cells / Math.max(1, segment.columns.size))))
  const count = Math.ceil(length / max)
  const pieces: Segment[] = []
  for (let i = 0; i < count; i++) {
    const piece = slice(segment, Math.floor((i * length) / count), Math.floor(((i + 1) * length) / count))
    pieces.push(...cutTexts(piece, sizes.text))
  }
  return pieces
}

function cutTexts(segment: Segment, max: number): Segment[] {
  const texts = [...segment.columns.values()].filter((column) => column.kind === 'string')
  if (texts.length === 0) return [segment]
  const pieces: Segment[] = []
  let from = 0
  let held = 0
  for (let i = 0; i < segment.deltaTimes.length; i++) {
    let size = 0
    for (const { values } of texts) size += values[i]?.length ?? 0
    if (i > from && held + size > max) {
      pieces.push(slice(segment, from, i))
      from = i
      held = 0
    }
    held += size
  }
  pieces.push(slice(segment, from, segment.deltaTimes.length))
  return pieces
}
