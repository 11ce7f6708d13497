/** Codec for columns of text and of flags, and for null sets. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { SegmentDamaged, type ByteReader, type ByteWriter } from './bytes.js'
import { decodeFloat64s, encodeFloat64s } from './float64Codec.js'

/** Writes a bit set with `length` positions: one byte for eight, the first in the lowest bit. */
function writeSet(out: ByteWriter, length: number, has: (i: number) => boolean): void {
  const at = out.grow(Math.ceil(length / 8))
  out.bytes.fill(0, at, out.length)
  for (let i = 0; i < length; i++) {
    if (has(i)) out.bytes[at + (i >>> 3)] = (out.bytes[at + (i >>> 3)] as number) | (1 << (i & 7))
  }
}

/** Reads a bit set; returns its membership test. */
function readSet(from: ByteReader, length: number): (i: number) => boolean {
  const bytes = from.take(Math.ceil(length / 8))
  return (i) => (((bytes[i >>> 3] as number) >>> (i & 7)) & 1) === 1
}

/** Writes the set of nulls, if any: `0`, or `1` and a set. Returns whether there are any. */
export function writeNulls(out: ByteWriter, length: number, isNull: (i: number) => boolean): boolean {
  let any = false
  for (let i = 0; i < length && !any; i++) any = isNull(i)
  out.byte(any ? 1 : 0)
  if (any) writeSet(out, length, isNull)
  return any
}

/** Reads the set of nulls; undefined when there are none. */
export function readNulls(from: ByteReader, length: number): ((i: number) => boolean) | undefined {
  const any = from.byte()
  if (any > 1) throw new SegmentDamaged('has an unknown form of nulls')
  return any === 1 ? readSet(from, length) : undefined
}

export function writeFlags(out: ByteWriter, values: readonly (boolean | null)[]): void {
  writeNulls(out, values.length, (i) => values[i] === null)
  writeSet(out, values.length, (i) => values[i] === true)
}

export function readFlags(from: ByteReader, length: number): (boolean | null)[] {
  const isNull = readNulls(from, length)
  const isTrue = readSet(from, length)
  return Array.from({ length }, (_, i) => (isNull?.(i) === true ? null : isTrue(i)))
}

const PLAIN = 0
const DICTIONARY = 1

/** Writes texts, any sequence of UTF-16 units. Repeated texts are stored once. */
export function writeTexts(out: ByteWriter, values: readonly (string | null)[]): void {
  const length = values.length
  writeNulls(out, length, (i) => values[i] === null)
  const distinct = new Map<string, number>()
  const places = new Float64Array(length)
  for (let i = 0; i < length; i++) {
    const text = values[i] ?? ''
    let place = distinct.get(text)
    if (place === undefined) {
      place = distinct.size
      distinct.set(text, place)
    }
    places[i] = place
  }
  if (distinct.size > length / 2) {
    out.byte(PLAIN)
    writeList(out, values.map((text) => text ?? ''))
    return
  }
  out.byte(DICTIONARY)
  out.varint(distinct.size)
  writeList(out, [...distinct.keys()])
  encodeFloat64s(out, places)
}

export function readTexts(from: ByteReader, length: number): (string | null)[] {
  const isNull = readNulls(from, length)
  const form = from.byte()
  if (form > DICTIONARY) throw new SegmentDamaged('has texts in an unknown form')
  if (form === PLAIN) {
    const list: (string | null)[] = readList(from, length)
    if (isNull !== undefined) for (let i = 0; i < length; i++) if (isNull(i)) list[i] = null
    return list
  }
  const size = from.varint(length, 'texts')
  if (size === 0) throw new SegmentDamaged('has no texts')
  const list = readList(from, size)
  const places = decodeFloat64s(from, length)
  return Array.from(places, (place, i) => {
    const text = list[place]
    if (text === undefined) throw new SegmentDamaged('refers to a missing text')
    return isNull?.(i) === true ? null : text
  })
}

const UTF8 = 0
const UTF16 = 1
const DEFLATED = 2
/** Minimum bytes of texts to compress. */
const MIN_DEFLATED = 64
const LONE_SURROGATE = /\p{Surrogate}/u

/** Writes a non-empty list of texts: their lengths, then `form u8`, size, and their concatenated bytes. */
function writeList(out: ByteWriter, list: readonly string[]): void {
  encodeFloat64s(out, Float64Array.from(list, (text) => text.length))
  const all = list.join('')
  const encoding = LONE_SURROGATE.test(all) ? UTF16 : UTF8
  const bytes = Buffer.from(all, encoding === UTF16 ? 'utf16le' : 'utf8')
  if (bytes.length >= MIN_DEFLATED && bytes.length <= out.packable) {
    const deflated = deflateRawSync(bytes, { level: 1 })
    if (deflated.length < bytes.length * 0.9) {
      out.packable -= bytes.length
      out.byte(encoding | DEFLATED)
      out.varint(bytes.length)
      out.varint(deflated.length)
      out.append(deflated)
      return
    }
  }
  out.byte(encoding)
  out.varint(bytes.length)
  out.append(bytes)
}

function readList(from: ByteReader, length: number): string[] {
  const lengths = decodeFloat64s(from, length)
  const form = from.byte()
  if (form > (UTF16 | DEFLATED)) throw new SegmentDamaged('has texts in an unknown form')
  const bytes = (form & DEFLATED) === 0 ? from.take(from.varint(from.left, 'bytes of text')) : inflated(from)
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString((form & UTF16) === 0 ? 'utf8' : 'utf16le')
  const list: string[] = []
  let at = 0
  for (const size of lengths) {
    if (!Number.isInteger(size) || size < 0 || size > all.length - at) throw new SegmentDamaged('has texts of wrong lengths')
    list.push(all.slice(at, at + size))
    at += size
  }
  if (at !== all.length) throw new SegmentDamaged('has texts of wrong lengths')
  return list
}

function inflated(from: ByteReader): Uint8Array {
  const size = from.varint(from.packable, 'bytes of packed text')
  from.packable -= size
  const deflated = from.take(from.varint(from.left, 'bytes of text'))
  let bytes
  try {
    bytes = inflateRawSync(deflated, { maxOutputLength: Math.max(size, 1) })
  } catch {
    throw new SegmentDamaged('has texts that cannot be decompressed')
  }
  if (bytes.length !== size) throw new SegmentDamaged('has texts of wrong lengths')
  return bytes
}
