/**
 * Codec for columns of doubles. Each is stored exactly, in the smallest of three forms: as decimals (whole numbers and
 * a power of ten), as the bits of the doubles, or raw, eight bytes each.
 */
import { SegmentDamaged, type ByteReader, type ByteWriter } from './bytes.js'
import { newInt64Columns, decodeInt64s, encodeInt64s, type Int64Columns } from './int64Codec.js'

const RAW = 0
const DECIMALS = 1
const BITS = 2

const MAX_PLACES = 9
const SCALES = Array.from({ length: MAX_PLACES + 1 }, (_, places) => 10 ** places)
const LARGEST = 2 ** 53 - 1
const TWO_32 = 2 ** 32

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
const LOW = LITTLE_ENDIAN ? 0 : 1
const HIGH = 1 - LOW

/** Writes at least one double. NaN stays a NaN, without its payload. */
export function encodeFloat64s(out: ByteWriter, values: Float64Array): void {
  const start = out.length
  const decimals = decimalsOf(values)
  if (decimals !== undefined) {
    out.byte(DECIMALS)
    out.byte(decimals.places)
    encodeInt64s(out, decimals.words)
  } else {
    out.byte(BITS)
    writePatterns(out, values)
  }
  if (out.length - start <= 1 + 8 * values.length) return
  out.length = start
  out.byte(RAW)
  const at = out.grow(8 * values.length)
  const view = new DataView(out.bytes.buffer)
  for (let i = 0; i < values.length; i++) view.setFloat64(at + 8 * i, values[i] as number, true)
}

/** Reads `length` doubles, at least one. */
export function decodeFloat64s(from: ByteReader, length: number): Float64Array {
  const form = from.byte()
  if (form === RAW) {
    const bytes = from.take(8 * length)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return Float64Array.from({ length }, (_, i) => view.getFloat64(8 * i, true))
  }
  if (form === DECIMALS) {
    const places = from.byte()
    const scale = SCALES[places]
    if (scale === undefined) throw new SegmentDamaged('has too many decimal places')
    const { high, low } = decodeInt64s(from, length)
    const values = new Float64Array(length)
    if (places === 0) for (let i = 0; i < length; i++) values[i] = (high[i] as number) * TWO_32 + (low[i] as number)
    else for (let i = 0; i < length; i++) values[i] = ((high[i] as number) * TWO_32 + (low[i] as number)) / scale
    return values
  }
  if (form === BITS) return readPatterns(from, length)
  throw new SegmentDamaged('has numbers in an unknown form')
}

/**
 * Returns the values multiplied by the least power of ten that makes them whole; undefined unless division restores
 * every bit.
 */
function decimalsOf(values: Float64Array): { places: number; words: Int64Columns } | undefined {
  const words = newInt64Columns(values.length)
  let places = 0
  let scale = 1
  /** Number of words written with a smaller scale. */
  let outdated = 0
  for (let i = 0; i < values.length; i++) {
    while (!putScaled(words, i, values[i] as number, scale)) {
      places += 1
      if (places > MAX_PLACES) return undefined
      scale = SCALES[places] as number
      outdated = i
    }
  }
  for (let i = 0; i < outdated; i++) if (!putScaled(words, i, values[i] as number, scale)) return undefined
  return { places, words }
}

/** Writes a value multiplied by the scale; false unless the product is a whole number, and division restores the value. */
function putScaled({ high, low }: Int64Columns, at: number, value: number, scale: number): boolean {
  const whole = Math.round(value * scale)
  if (whole / scale !== value || whole > LARGEST || whole < -LARGEST) return false
  if (whole === 0 && Object.is(value, -0)) return false
  const upper = whole >= 0 && whole < TWO_32 ? 0 : Math.floor(whole / TWO_32)
  high[at] = upper
  low[at] = whole - upper * TWO_32
  return true
}

const ALL_POSITIVE = 0
const ALL_NEGATIVE = 1
const MIXED = 2

/**
 * Writes the bits of the magnitudes without common trailing zeros, and the signs in the lowest bit where they differ:
 * `signs u8`, `zeros u8`, numbers. Close values have close numbers, around zero too.
 */
function writePatterns(out: ByteWriter, values: Float64Array): void {
  const length = values.length
  const bits = new Uint32Array(values.buffer, values.byteOffset, 2 * length)
  let anyHigh = 0
  let anyLow = 0
  let negative = 0
  for (let i = 0; i < length; i++) {
    const upper = bits[2 * i + HIGH] as number
    negative += upper >>> 31
    anyHigh |= upper
    anyLow |= bits[2 * i + LOW] as number
  }
  anyHigh &= 0x7fffffff
  const signs = negative === 0 ? ALL_POSITIVE : negative === length ? ALL_NEGATIVE : MIXED
  const zeros = anyLow !== 0 ? trailingZeros(anyLow) : anyHigh !== 0 ? 32 + trailingZeros(anyHigh) : 0
  const words = newInt64Columns(length)
  const { high, low } = words
  for (let i = 0; i < length; i++) {
    const upper = bits[2 * i + HIGH] as number
    let h = upper & 0x7fffffff
    let l = bits[2 * i + LOW] as number
    if (zeros >= 32) {
      l = h >>> (zeros - 32)
      h = 0
    } else if (zeros > 0) {
      l = (l >>> zeros) | (h << (32 - zeros))
      h >>>= zeros
    }
    if (signs === MIXED) {
      h = (h << 1) | (l >>> 31)
      l = (l << 1) | (upper >>> 31)
    }
    high[i] = h
    low[i] = l
  }
  out.byte(signs)
  out.byte(zeros)
  encodeInt64s(out, words)
}

const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word)

function readPatterns(from: ByteReader, length: number): Float64Array {
  const signs = from.byte()
  const zeros = from.byte()
  if (signs > MIXED || zeros > 62) throw new SegmentDamaged('has numbers of an unknown form')
  const { high, low } = decodeInt64s(from, length)
  const values = new Float64Array(length)
  const bits = new Uint32Array(values.buffer)
  const negative = signs === ALL_NEGATIVE ? 0x80000000 : 0
  for (let i = 0; i < length; i++) {
    let h = high[i] as number
    let l = low[i] as number
    let sign = negative
    if (signs === MIXED) {
      sign = l << 31
      l = (l >>> 1) | (h << 31)
      h >>>= 1
    }
    if (zeros >= 32) {
      h = l << (zeros - 32)
      l = 0
    } else if (zeros > 0) {
      h = (h << zeros) | (l >>> (32 - zeros))
      l <<= zeros
    }
    bits[2 * i + HIGH] = (h & 0x7fffffff) | sign
    bits[2 * i + LOW] = l
  }
  return values
}
