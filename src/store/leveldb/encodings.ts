/**
 * Encodings of LevelDB's files: numbers and byte strings (`readVarint`, `readSlice`), checksums (`crc32c`, with the masked
 * form that is stored), and decompression of Snappy blocks, in which LevelDB may store the index of a table.
 */
import { crc32c as native } from '@node-rs/crc32'

/** Bytes with a read position. */
export interface Cursor {
  bytes: Uint8Array
  at: number
}

/** Error when bytes do not have the expected structure. */
export class Malformed extends Error {}

/**
 * Reads the next number.
 * @throws Malformed at the end of the bytes, beyond 2^53, and for a form longer than needed. LevelDB never writes that
 * form, but a changed bit can produce it without changing the value.
 */
export function readVarint(cursor: Cursor): number {
  let value = 0
  let scale = 1
  for (let i = 0; i < 10; i++) {
    const byte = cursor.bytes[cursor.at++]
    if (byte === undefined) throw new Malformed('a number is cut short')
    value += (byte & 127) * scale
    if (byte < 128) {
      if (byte === 0 && i > 0) throw new Malformed('a number is longer than needed')
      if (!Number.isSafeInteger(value)) throw new Malformed('a number is too large')
      return value
    }
    scale *= 128
  }
  throw new Malformed('a number is too long')
}

/**
 * Reads a length and as many bytes.
 * @throws Malformed when bytes are missing
 */
export function readSlice(cursor: Cursor): Uint8Array {
  const length = readVarint(cursor)
  const end = cursor.at + length
  if (end > cursor.bytes.length) throw new Malformed('bytes are cut short')
  const slice = cursor.bytes.subarray(cursor.at, end)
  cursor.at = end
  return slice
}

const MASK_DELTA = 0xa282ead8

/** Returns the CRC-32C of `bytes`, unsigned; with `before`, that of the bytes `before` covers followed by `bytes`. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  return native(bytes, before)
}

/** Returns the masked form that LevelDB stores, because a checksum over bytes that contain their own checksum is weak. */
export function maskCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
}

/** Returns the checksum of a masked form. */
export function unmaskCrc(masked: number): number {
  const rotated = (masked - MASK_DELTA) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}

const STEPS = new Uint32Array(256).map((_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  return crc
})

/** Creates a CRC-32C that is read after every byte: a call to native code costs more than a byte does. */
export function crcByByte(): (byte: number) => number {
  let state = 0xffffffff
  return (byte) => {
    state = (STEPS[(state ^ byte) & 255] ?? 0) ^ (state >>> 8)
    return ~state >>> 0
  }
}

const LIMIT = 256 * 1024 * 1024
/** Length below which a loop copies faster than a native call. */
const SHORT = 24

/**
 * Decompresses a raw Snappy block. One loop without closures: a start decompresses the index of every table.
 * @throws Malformed when the bytes are not one
 */
export function unsnap(compressed: Uint8Array): Uint8Array {
  const cursor = { bytes: compressed, at: 0 }
  const size = readVarint(cursor)
  if (size > LIMIT) throw new Malformed('a compressed block claims to be too large')
  const out = new Uint8Array(size)
  const end = compressed.length
  let at = cursor.at
  let done = 0
  while (at < end) {
    const tag = compressed[at++] ?? 0
    const kind = tag & 3
    const upper = tag >>> 2
    // Bytes of a number after the tag: of a long literal's length, or of a copy's distance.
    const wide = kind === 0 ? Math.max(0, upper - 59) : kind === 3 ? 4 : kind
    if (at + wide > end) throw new Malformed('a compressed block is cut short')
    let number = 0
    for (let i = wide - 1; i >= 0; i--) number = number * 256 + (compressed[at + i] ?? 0)
    at += wide
    if (kind === 0) {
      const length = 1 + (wide === 0 ? upper : number)
      if (at + length > end || done + length > size) throw new Malformed('a literal is cut short')
      if (length < SHORT) for (let i = 0; i < length; i++) out[done + i] = compressed[at + i] ?? 0
      else out.set(compressed.subarray(at, at + length), done)
      at += length
      done += length
    } else {
      const length = kind === 1 ? 4 + (upper & 7) : 1 + upper
      const back = kind === 1 ? (upper >>> 3) * 256 + number : number
      if (back === 0 || back > done || done + length > size) throw new Malformed('a copy reaches outside its block')
      // Copies byte by byte: a copy may overlap its output, which expresses runs.
      for (let i = done; i < done + length; i++) out[i] = out[i - back] ?? 0
      done += length
    }
  }
  if (done !== size) throw new Malformed('a compressed block is shorter than it claims')
  return out
}
