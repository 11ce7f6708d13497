/**
 * Segments: stored points of a series, sorted, compressed, immutable. Each point refers to the stamp of its write, so
 * that of points with equal deltaTime the same one wins in whatever order segments are merged.
 *
 * Bytes: `format u8` `points` `deltaTimes` `stamps` `columns`, each `name` `kind u8` `values`, then a CRC-32C of all
 * that as 32 bits. The encoding is canonical: columns are ordered by name, empty ones are left out.
 */
import { crc32c } from '../leveldb/encodings.js'
import type { Column, Points } from '../model/points.js'
import { ByteReader, ByteWriter, SegmentDamaged } from './bytes.js'
import { decodeFloat64s, encodeFloat64s } from './float64Codec.js'
import { readFlags, readNulls, readTexts, writeFlags, writeNulls, writeTexts } from './stringCodec.js'

/** Time and actor of a write: of two points with equal deltaTime, the one with the later stamp wins. */
export interface Stamp {
  /** Microseconds since the epoch, later than any earlier stamp of the series. */
  time: number
  /** The writing process, at most 32 ASCII characters. */
  actor: string
}

/** Points with their stamps. */
export interface Segment extends Points {
  /** The stamps of the points, in any order. */
  stamps: readonly Stamp[]
  /** Index in `stamps` for each point; absent when all have the first. */
  stampOf?: Uint32Array
}

/** Checks whether stamp `a` is later than `b`. */
export const isLater = (a: Stamp, b: Stamp): boolean => a.time > b.time || (a.time === b.time && a.actor > b.actor)

const FORMAT = 1
/** Limit above the number of points of any segment. */
export const MAX_POINTS = 65_536
/** Limit above the number of values of any segment, so that few bytes never cause a large allocation. */
export const MAX_CELLS = 1 << 21
const MAX_ACTOR = 32
const CRC_BYTES = 4

const NUMBER = 0
const TEXT = 1
const FLAG = 2

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Encodes a segment of at least one point, with finite ascending deltaTimes. */
export function encodeSegment(segment: Segment): Uint8Array {
  const out = new ByteWriter()
  writeTimes(out, segment)
  writeStamps(out, segment)
  writeColumns(out, segment)
  return closed(out)
}

/** An encoded segment without its one stamp: the bytes before the stamp, and those after it. */
export interface UnstampedSegment {
  before: Uint8Array
  after: Uint8Array
}

/** Encodes points as `encodeSegment` does, without their stamp. */
export function encodeUnstamped(points: Points): UnstampedSegment {
  const out = new ByteWriter()
  writeTimes(out, points)
  const at = out.length
  writeColumns(out, points)
  const bytes = out.written()
  return { before: bytes.subarray(0, at), after: bytes.subarray(at) }
}

/** Completes the bytes of a segment with the stamp of its points. */
export function stamped({ before, after }: UnstampedSegment, stamp: Stamp): Uint8Array {
  const out = new ByteWriter()
  out.append(before)
  writeStampList(out, [stamp])
  out.append(after)
  return closed(out)
}

function writeTimes(out: ByteWriter, { deltaTimes }: Points): void {
  out.byte(FORMAT)
  out.varint(deltaTimes.length)
  encodeFloat64s(out, deltaTimes)
}

function writeColumns(out: ByteWriter, { columns }: Points): void {
  const saved = [...columns].filter(([, column]) => hasValues(column)).sort(([a], [b]) => (a < b ? -1 : 1))
  out.varint(saved.length)
  for (const [name, column] of saved) {
    const bytes = Buffer.from(name, 'utf8')
    out.varint(bytes.length)
    out.append(bytes)
    writeColumn(out, column)
  }
}

/** Returns the written bytes with their checksum. */
function closed(out: ByteWriter): Uint8Array {
  out.word(crc32c(out.bytes.subarray(0, out.length)))
  return out.written()
}

/** Checks whether a column has any value. */
function hasValues(column: Column): boolean {
  if (column.kind === 'null') return false
  if (column.kind !== 'number') return column.values.some((value) => value !== null)
  return column.values.some((value) => !Number.isNaN(value))
}

/** Writes the distinct stamps, ordered by their first points: actors, then times, actors of stamps, stamps of points. */
function writeStamps(out: ByteWriter, { stamps, stampOf, deltaTimes }: Segment): void {
  if (stampOf === undefined) return writeStampList(out, stamps.slice(0, 1))
  const places = new Map<number, number>()
  const used: Stamp[] = []
  const of = new Float64Array(deltaTimes.length)
  for (let i = 0; i < of.length; i++) {
    const from = stampOf[i] as number
    let place = places.get(from)
    if (place === undefined) {
      place = used.length
      places.set(from, place)
      used.push(stamps[from] as Stamp)
    }
    of[i] = place
  }
  writeStampList(out, used)
  if (used.length > 1) encodeFloat64s(out, of)
}

function writeStampList(out: ByteWriter, used: readonly Stamp[]): void {
  const actors = [...new Set(used.map(({ actor }) => actor))]
  out.varint(actors.length)
  for (const actor of actors) {
    out.varint(actor.length)
    out.append(ascii(actor))
  }
  out.varint(used.length)
  encodeFloat64s(out, Float64Array.from(used, ({ time }) => time))
  if (actors.length > 1) encodeFloat64s(out, Float64Array.from(used, ({ actor }) => actors.indexOf(actor)))
}

function writeColumn(out: ByteWriter, column: Column): void {
  if (column.kind === 'number') {
    out.byte(NUMBER)
    writeNullableNumbers(out, column.values)
  } else if (column.kind === 'string') {
    out.byte(TEXT)
    writeTexts(out, column.values)
  } else if (column.kind === 'boolean') {
    out.byte(FLAG)
    writeFlags(out, column.values)
  }
}

/** Writes nulls as a repetition of the previous number, the cheapest encoding. */
function writeNullableNumbers(out: ByteWriter, values: Float64Array): void {
  const any = writeNulls(out, values.length, (i) => Number.isNaN(values[i]))
  if (!any) return encodeFloat64s(out, values)
  const filled = values.slice()
  let last = values.find((value) => !Number.isNaN(value)) ?? 0
  for (let i = 0; i < filled.length; i++) {
    const value = filled[i] as number
    if (Number.isNaN(value)) filled[i] = last
    else last = value
  }
  encodeFloat64s(out, filled)
}

/**
 * Decodes a segment. Memory and time are bounded by a few megabytes above the size of the bytes.
 * @throws SegmentDamaged when the bytes are not a complete segment
 */
export function decodeSegment(bytes: Uint8Array): Segment {
  const { from, deltaTimes, stamps } = opened(bytes)
  const length = deltaTimes.length
  const columns = new Map<string, Column>()
  const count = from.varint(Math.floor(MAX_CELLS / length), 'columns')
  let last = ''
  for (let i = 0; i < count; i++) {
    const name = Buffer.from(from.take(from.varint(from.left, 'bytes of a name'))).toString('utf8')
    if (i > 0 && !(name > last)) throw new SegmentDamaged('has columns out of order')
    last = name
    columns.set(name, readColumn(from, length))
  }
  if (from.left > 0) throw new SegmentDamaged('has bytes after its end')
  return { deltaTimes, columns, ...stamps }
}

/**
 * Decodes the stamps of a segment and its number of points, without their values.
 * @throws SegmentDamaged when the bytes are not a complete segment
 */
export function decodeStamps(bytes: Uint8Array): { stamps: readonly Stamp[]; length: number } {
  const { deltaTimes, stamps } = opened(bytes)
  return { stamps: stamps.stamps, length: deltaTimes.length }
}

/** Decodes the first half of a segment; returns it with a reader of the rest. */
function opened(bytes: Uint8Array): { from: ByteReader; deltaTimes: Float64Array; stamps: Pick<Segment, 'stamps' | 'stampOf'> } {
  const end = bytes.length - CRC_BYTES
  const stored = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (end < 1 || stored.getUint32(end, true) !== crc32c(bytes.subarray(0, end))) {
    throw new SegmentDamaged('does not match its checksum')
  }
  const from = new ByteReader(bytes.subarray(0, end))
  if (from.byte() !== FORMAT) throw new SegmentDamaged('has an unknown format')
  const length = from.varint(MAX_POINTS, 'points')
  if (length === 0) throw new SegmentDamaged('has no points')
  const deltaTimes = decodeFloat64s(from, length)
  let before = -Infinity
  for (let i = 0; i < length; i++) {
    const deltaTime = deltaTimes[i] as number
    if (!(deltaTime > before && deltaTime < Infinity)) throw new SegmentDamaged('has points out of order')
    before = deltaTime
  }
  return { from, deltaTimes, stamps: readStamps(from, length) }
}

function readStamps(from: ByteReader, length: number): Pick<Segment, 'stamps' | 'stampOf'> {
  const actors: string[] = []
  const actorCount = from.varint(length, 'actors')
  for (let i = 0; i < actorCount; i++) {
    actors.push(Buffer.from(from.take(from.varint(MAX_ACTOR, 'bytes of an actor'))).toString('latin1'))
  }
  const count = from.varint(length, 'stamps')
  if (count === 0 || actorCount === 0 || actorCount > count) throw new SegmentDamaged('has points without stamps')
  const times = decodeFloat64s(from, count)
  const actorOf = actorCount > 1 ? decodeFloat64s(from, count) : undefined
  const stamps = Array.from(times, (time, i) => {
    const actor = actors[actorOf?.[i] ?? 0]
    if (actor === undefined || !Number.isSafeInteger(time)) throw new SegmentDamaged('has an invalid stamp')
    return { time, actor }
  })
  if (count === 1) return { stamps }
  const places = decodeFloat64s(from, length)
  for (const place of places) {
    if (!(Number.isInteger(place) && place >= 0 && place < count)) throw new SegmentDamaged('has points without stamps')
  }
  return { stamps, stampOf: Uint32Array.from(places) }
}

function readColumn(from: ByteReader, length: number): Column {
  const kind = from.byte()
  if (kind === NUMBER) {
    const isNull = readNulls(from, length)
    const values = decodeFloat64s(from, length)
    if (isNull !== undefined) for (let i = 0; i < length; i++) if (isNull(i)) values[i] = NaN
    return { kind: 'number', values }
  }
  if (kind === TEXT) return { kind: 'string', values: readTexts(from, length) }
  if (kind === FLAG) return { kind: 'boolean', values: readFlags(from, length) }
  throw new SegmentDamaged('has a column of an unknown kind')
}
