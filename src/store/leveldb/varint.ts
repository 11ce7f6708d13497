/** LevelDB's encoding of numbers and byte strings: little-endian groups of 7 bits, and bytes after their length. */

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
