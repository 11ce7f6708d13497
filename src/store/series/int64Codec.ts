/**
 * Codec for sequences of 64-bit whole numbers: differences of the best order, in blocks of 128. Each block stores its
 * least number, and each number above it in as many bits as the largest needs.
 *
 * `order u8`, then for each of the first `order` numbers of the sequence its bytes, then the blocks: `least: size u8,
 * bytes` `width u8` `bits`. Numbers are pairs of 32-bit halves, because BigInt is slow.
 */
import { SegmentDamaged, type ByteReader, type ByteWriter } from './bytes.js'

/** Signed 64-bit numbers as halves. */
export interface Int64Columns {
  high: Int32Array
  low: Uint32Array
}

export const newInt64Columns = (length: number): Int64Columns => ({ high: new Int32Array(length), low: new Uint32Array(length) })

const BLOCK = 128
const MAX_ORDER = 2

/** Per block, the least number and the number of bits that the others need above it. */
interface Blocks {
  least: Int64Columns
  widths: Uint8Array
  bits: number
}

const widthOf = (high: number, low: number): number => (high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high))

function blocksOf({ high, low }: Int64Columns, from: number): Blocks {
  const length = high.length
  const count = Math.ceil((length - from) / BLOCK)
  const min = newInt64Columns(count)
  const widths = new Uint8Array(count)
  let bits = 0
  for (let block = 0; block < count; block++) {
    const start = from + block * BLOCK
    const end = Math.min(start + BLOCK, length)
    let minHigh = high[start] as number
    let minLow = low[start] as number
    let maxHigh = minHigh
    let maxLow = minLow
    for (let i = start + 1; i < end; i++) {
      const h = high[i] as number
      const l = low[i] as number
      if (h < minHigh || (h === minHigh && l < minLow)) {
        minHigh = h
        minLow = l
      } else if (h > maxHigh || (h === maxHigh && l > maxLow)) {
        maxHigh = h
        maxLow = l
      }
    }
    const borrow = maxLow < minLow ? 1 : 0
    const width = widthOf((maxHigh - minHigh - borrow) >>> 0, (maxLow - minLow) >>> 0)
    min.high[block] = minHigh
    min.low[block] = minLow
    widths[block] = width
    bits += width * (end - start)
  }
  return { least: min, widths, bits }
}

/** Returns each number minus the previous one; the first stays. */
function differences({ high, low }: Int64Columns): Int64Columns {
  const length = high.length
  const next = newInt64Columns(length)
  let beforeHigh = 0
  let beforeLow = 0
  for (let i = 0; i < length; i++) {
    const h = high[i] as number
    const l = low[i] as number
    next.low[i] = l - beforeLow
    next.high[i] = h - beforeHigh - (l < beforeLow ? 1 : 0)
    beforeHigh = h
    beforeLow = l
  }
  return next
}

/** Length from which only samples of a sequence are examined. */
const LONG = 1024
const PART = 2 * BLOCK

/** Returns the order of differences that takes the fewest bits. */
function orderOf(words: Int64Columns): number {
  const { high, low } = words
  const { length } = high
  const starts = length <= LONG ? [0] : [0, 1, 2, 3].map((n) => Math.floor((n * (length - PART)) / 3))
  const bits = [0, 0, 0]
  for (const start of starts) {
    const end = length <= LONG ? length : start + PART
    let part: Int64Columns = { high: high.subarray(start, end), low: low.subarray(start, end) }
    for (let order = 0; order <= MAX_ORDER && order < end - start; order++) {
      if (order > 0) part = differences(part)
      bits[order] = (bits[order] as number) + blocksOf(part, order).bits
    }
  }
  const [none = 0, first = 0, second = 0] = bits
  if (length <= MAX_ORDER || none <= Math.min(first, second)) return 0
  return first <= second ? 1 : 2
}

/** Writes a sequence of at least one number. */
export function encodeInt64s(out: ByteWriter, given: Int64Columns): void {
  const order = orderOf(given)
  let words = given
  for (let i = 0; i < order; i++) words = differences(words)
  const blocks = blocksOf(words, order)
  out.byte(order)
  for (let i = 0; i < order; i++) writeSigned(out, words.high[i] as number, words.low[i] as number)
  for (let block = 0; block < blocks.widths.length; block++) {
    const minHigh = blocks.least.high[block] as number
    const minLow = blocks.least.low[block] as number
    writeSigned(out, minHigh, minLow)
    const width = blocks.widths[block] as number
    out.byte(width)
    const start = order + block * BLOCK
    if (width > 0) writeBits(out, words, start, Math.min(start + BLOCK, words.high.length), minHigh, minLow, width)
  }
}

/**
 * Writes a signed number in as few bytes as possible: their count, then the bytes, little-endian, with the sign in the
 * lowest bit.
 */
function writeSigned(out: ByteWriter, high: number, low: number): void {
  const sign = high >> 31
  let zigHigh = ((high << 1) | (low >>> 31)) ^ sign
  let zigLow = (low << 1) ^ sign
  const size = Math.ceil(widthOf(zigHigh >>> 0, zigLow >>> 0) / 8)
  out.byte(size)
  for (let i = 0; i < size; i++) {
    out.byte(zigLow & 255)
    zigLow = (zigLow >>> 8) | (zigHigh << 24)
    zigHigh >>>= 8
  }
}

const scratch = new Uint8Array(BLOCK * 8 + 8)
const view = new DataView(scratch.buffer)

/** Packs numbers minus their least, `width` bits each, lowest bit first. */
function writeBits(
  out: ByteWriter,
  { high, low }: Int64Columns,
  start: number,
  end: number,
  minHigh: number,
  minLow: number,
  width: number,
): void {
  let held = 0
  let holds = 0
  let at = 0
  const lowBits = width < 32 ? width : 32
  const highBits = width - lowBits
  for (let i = start; i < end; i++) {
    const l = low[i] as number
    const value = (l - minLow) | 0
    held |= value << holds
    holds += lowBits
    if (holds >= 32) {
      view.setInt32(at, held, true)
      at += 4
      holds -= 32
      held = holds === 0 ? 0 : value >>> (lowBits - holds)
    }
    if (highBits === 0) continue
    const upper = ((high[i] as number) - minHigh - (l < minLow ? 1 : 0)) | 0
    held |= upper << holds
    holds += highBits
    if (holds >= 32) {
      view.setInt32(at, held, true)
      at += 4
      holds -= 32
      held = holds === 0 ? 0 : upper >>> (highBits - holds)
    }
  }
  view.setInt32(at, held, true)
  const size = Math.ceil(((end - start) * width) / 8)
  out.append(scratch.subarray(0, size))
}

/** Reads a sequence of `length` numbers, at least one. */
export function decodeInt64s(from: ByteReader, length: number): Int64Columns {
  const words = newInt64Columns(length)
  const { high, low } = words
  const order = from.byte()
  if (order > MAX_ORDER || (order > 0 && order >= length)) throw new SegmentDamaged('has differences of an unknown order')
  for (let i = 0; i < order; i++) readSigned(from, words, i)
  const min = newInt64Columns(1)
  for (let start = order; start < length; start += BLOCK) {
    readSigned(from, min, 0)
    const end = Math.min(start + BLOCK, length)
    const width = from.byte()
    if (width > 64) throw new SegmentDamaged('has numbers of more than 64 bits')
    if (width > 0) readBits(from, words, start, end, min.high[0] as number, min.low[0] as number, width)
    else {
      high.fill(min.high[0] as number, start, end)
      low.fill(min.low[0] as number, start, end)
    }
  }
  for (let i = 0; i < order; i++) sum(words)
  return words
}

function readSigned(from: ByteReader, { high, low }: Int64Columns, at: number): void {
  const size = from.byte()
  if (size > 8) throw new SegmentDamaged('has a number of more than 64 bits')
  let zigLow = 0
  let zigHigh = 0
  for (let i = 0; i < size; i++) {
    if (i < 4) zigLow |= from.byte() << (8 * i)
    else zigHigh |= from.byte() << (8 * (i - 4))
  }
  const sign = -(zigLow & 1)
  low[at] = ((zigLow >>> 1) | (zigHigh << 31)) ^ sign
  high[at] = (zigHigh >>> 1) ^ sign
}

function readBits(
  from: ByteReader,
  { high, low }: Int64Columns,
  start: number,
  end: number,
  minHigh: number,
  minLow: number,
  width: number,
): void {
  const size = Math.ceil(((end - start) * width) / 8)
  scratch.set(from.take(size))
  // Reads reach beyond the numbers.
  scratch.fill(0, size, size + 8)
  const lowBits = width < 32 ? width : 32
  const lowMask = lowBits === 32 ? -1 : (1 << lowBits) - 1
  const highBits = width - lowBits
  const highMask = highBits === 32 ? -1 : (1 << highBits) - 1
  let bit = 0
  for (let i = start; i < end; i++) {
    const l = (bitsAt(bit) & lowMask) >>> 0
    bit += lowBits
    const sum = l + minLow
    let h = minHigh + (sum > 0xffffffff ? 1 : 0)
    if (highBits > 0) {
      h += bitsAt(bit) & highMask
      bit += highBits
    }
    low[i] = sum
    high[i] = h
  }
}

/** Returns 32 of the scratch bits, starting at `bit`. */
function bitsAt(bit: number): number {
  const at = bit >>> 3
  const shift = bit & 7
  const word = view.getInt32(at, true)
  return shift === 0 ? word : (word >>> shift) | ((scratch[at + 4] as number) << (32 - shift))
}

/** Reverts `differences`. */
function sum({ high, low }: Int64Columns): void {
  let h = 0
  let l = 0
  for (let i = 0; i < high.length; i++) {
    const lower = l + (low[i] as number)
    h = (h + (high[i] as number) + (lower > 0xffffffff ? 1 : 0)) | 0
    l = lower >>> 0
    high[i] = h
    low[i] = l
  }
}
