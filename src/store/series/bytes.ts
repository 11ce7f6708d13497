/** Writing and reading the bytes of a segment: numbers and byte strings, every read within bounds. */
import { Malformed, readVarint, type Cursor } from '../leveldb/varint.js'

/** Thrown when bytes are not a segment, or not whole. */
export class SegmentDamaged extends Error {
  constructor(what: string) {
    super(`A segment of a series ${what}.`)
  }
}

/** Bytes of text that a segment holds packed, at most: what is read may not ask for memory without end. */
const MAX_PACKED = 16 * 1024 * 1024

/** Gathers bytes; grows as needed. */
export class ByteWriter {
  /** How many more bytes of text may be packed. */
  packable = MAX_PACKED
  /** What is written, and room after it. Another array after each call that grows. */
  bytes = new Uint8Array(256)
  length = 0

  /** Makes room for `size` bytes and counts them as written; answers where they begin. */
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

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.byte((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  /** 32 bits, least byte first. */
  word(value: number): void {
    const at = this.grow(4)
    for (let i = 0; i < 4; i++) this.bytes[at + i] = (value >>> (8 * i)) & 255
  }

  append(bytes: Uint8Array): void {
    const at = this.grow(bytes.length)
    this.bytes.set(bytes, at)
  }

  /** A copy of what is written. */
  written(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }
}

/** Reads what `ByteWriter` wrote. Throws SegmentDamaged beyond the end. */
export class ByteReader {
  /** How many more bytes packed texts may have. */
  packable = MAX_PACKED
  readonly #cursor: Cursor

  constructor(bytes: Uint8Array) {
    this.#cursor = { bytes, at: 0 }
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#cursor.bytes.length - this.#cursor.at
  }

  byte(): number {
    const value = this.#cursor.bytes[this.#cursor.at++]
    if (value === undefined) throw new SegmentDamaged('is cut short')
    return value
  }

  /** A whole number, at most `most`; `name` says in errors what it counts. */
  varint(max: number, name: string): number {
    let value
    try {
      value = readVarint(this.#cursor)
    } catch (error) {
      if (error instanceof Malformed) throw new SegmentDamaged(`has a number of ${name} that cannot be read`)
      throw error
    }
    if (value > max) throw new SegmentDamaged(`has ${value} ${name}, where ${max} are the most`)
    return value
  }

  /** The next bytes, not copied. */
  take(size: number): Uint8Array {
    const { bytes, at } = this.#cursor
    if (size > bytes.length - at) throw new SegmentDamaged('is cut short')
    this.#cursor.at = at + size
    return bytes.subarray(at, at + size)
  }
}
