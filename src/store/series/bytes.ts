/** Bounds-checked writing and reading of numbers and byte strings in segments. */
import { Malformed, readVarint, type Cursor } from '../leveldb/encodings.js'

/** Error when bytes are not a complete segment. */
export class SegmentDamaged extends Error {
  constructor(what: string) {
    super(`A segment of a series ${what}.`)
  }
}

/** Maximum bytes of compressed text per segment, uncompressed; limits the memory of a read. */
const MAX_PACKED = 16 * 1024 * 1024

/** Byte buffer that grows as needed. */
export class ByteWriter {
  /** Number of uncompressed bytes of text that may still be compressed. */
  packable = MAX_PACKED
  /** Written bytes, followed by free space. Replaced by calls that grow it. */
  bytes = new Uint8Array(256)
  length = 0

  /** Reserves `size` bytes as written; returns their offset. */
  grow(size: number): number {
    const at = this.length
    const needed = at + size
    if (needed > this.bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2))
      larger.set(this.bytes.subarray(0, at))
      this.bytes = larger
    }
    this.length = needed
    return at
  }

  byte(value: number): void {
    const at = this.grow(1)
    this.bytes[at] = value
  }

  /** Writes a whole number from 0 to 2^53. */
  varint(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.byte((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  /** Writes 32 bits, little-endian. */
  word(value: number): void {
    const at = this.grow(4)
    for (let i = 0; i < 4; i++) this.bytes[at + i] = (value >>> (8 * i)) & 255
  }

  append(bytes: Uint8Array): void {
    const at = this.grow(bytes.length)
    this.bytes.set(bytes, at)
  }

  /** Returns a copy of the written bytes. */
  written(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }
}

/**
 * Reads what `ByteWriter` wrote.
 * @throws SegmentDamaged beyond the end
 */
export class ByteReader {
  /** Number of uncompressed bytes that compressed texts may still have. */
  packable = MAX_PACKED
  readonly #cursor: Cursor

  constructor(bytes: Uint8Array) {
    this.#cursor = { bytes, at: 0 }
  }

  /** Number of bytes left. */
  get left(): number {
    return this.#cursor.bytes.length - this.#cursor.at
  }

  byte(): number {
    const value = this.#cursor.bytes[this.#cursor.at++]
    if (value === undefined) throw new SegmentDamaged('is cut short')
    return value
  }

  /** Reads a whole number of at most `max`; `name` is its unit in errors. */
  varint(max: number, name: string): number {
    let value
    try {
      value = readVarint(this.#cursor)
    } catch (error) {
      if (error instanceof Malformed) throw new SegmentDamaged(`has a number of ${name} that cannot be read`)
      throw error
    }
    if (value > max) throw new SegmentDamaged(`has ${value} ${name}, above the limit of ${max}`)
    return value
  }

  /** Returns the next bytes without copying. */
  take(size: number): Uint8Array {
    const { bytes, at } = this.#cursor
    if (size > bytes.length - at) throw new SegmentDamaged('is cut short')
    this.#cursor.at = at + size
    return bytes.subarray(at, at + size)
  }
}
