/** Growing byte buffers for writing, and readers of basic values received from another node. */
import { putText, putUnsigned, takeBytes, takeText, takeUnsigned, textLength, type Reader } from '../crdt/bytes.js'
import { damaged } from './protocolError.js'

/** Buffer that grows while it is written. */
export interface Column {
  bytes: Buffer
  at: number
}

export const newColumn = (room = 256): Column => ({ bytes: Buffer.allocUnsafe(room), at: 0 })

/** Returns the bytes written so far, without a copy. */
export const bytesOf = (c: Column): Buffer => c.bytes.subarray(0, c.at)

function reserve(c: Column, more: number): void {
  if (c.at + more <= c.bytes.length) return
  const larger = Buffer.allocUnsafe(Math.max(c.bytes.length * 2, c.at + more))
  c.bytes.copy(larger, 0, 0, c.at)
  c.bytes = larger
}

export function addByte(c: Column, byte: number): void {
  reserve(c, 1)
  c.bytes[c.at++] = byte
}

/** Adds an integer from 0 to 2^53 - 1. */
export function addNumber(c: Column, value: number): void {
  reserve(c, 8)
  putUnsigned(c, value)
}

export function addDouble(c: Column, value: number): void {
  reserve(c, 8)
  c.at = c.bytes.writeDoubleLE(value, c.at)
}

export function addBytes(c: Column, bytes: Uint8Array): void {
  reserve(c, bytes.length)
  c.bytes.set(bytes, c.at)
  c.at += bytes.length
}

/** Adds bytes given as hexadecimal digits. */
export function addHex(c: Column, digits: string): void {
  reserve(c, digits.length / 2)
  c.at += c.bytes.write(digits, c.at, 'hex')
}

/** Adds a text with its length in bytes, which is written to `lengths`. */
export function addText(c: Column, text: string, lengths: Column = c): void {
  const length = textLength(text)
  addNumber(lengths, length)
  reserve(c, length)
  putText(c, text)
}

/** Adds bytes with their length. */
export function addBlock(c: Column, bytes: Uint8Array): void {
  addNumber(c, bytes.length)
  addBytes(c, bytes)
}

/** Maximum size of a name or sentence, in bytes: above MAX_ID_LENGTH characters of any id. */
const MAX_TEXT = 4096

/** Writes a text, truncated to the receiver's limit. */
export const addSentence = (c: Column, text: string): void => addText(c, text.slice(0, MAX_TEXT / 4))

/** Reads a text written by `addText`. */
export function textFrom(r: Reader, lengths: Reader = r): string {
  const length = takeUnsigned(lengths)
  if (length > MAX_TEXT) throw damaged('a text that is too long')
  return takeText(r, length)
}

/** Reads an id of any length: an item with one beyond the limit is refused without ending the session. */
export const idFrom = (r: Reader, lengths: Reader): string => takeText(r, takeUnsigned(lengths))

export const doubleFrom = (r: Reader): number => takeBytes(r, 8).readDoubleLE(0)

/** Reads bytes written by `addBlock`, without a copy. */
export const blockFrom = (r: Reader): Buffer => takeBytes(r, takeUnsigned(r))

/**
 * Reads the number of elements that follow, each of at least `min` bytes of `holding`.
 * @throws ProtocolError `damaged` when they cannot fit
 */
export function countFrom(r: Reader, holding: Reader = r, min = 1): number {
  const count = takeUnsigned(r)
  if (count * min > holding.bytes.length - holding.at) throw damaged('a list that is longer than its bytes')
  return count
}

/**
 * Reads a flag.
 * @throws ProtocolError `damaged` for values other than 0 and 1
 */
export function flagFrom(r: Reader): boolean {
  const value = takeUnsigned(r)
  if (value > 1) throw damaged('an invalid flag')
  return value === 1
}
