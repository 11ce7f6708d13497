/**
 * Numbers and byte strings as LevelDB writes them: little-endian groups of 7 bits, and bytes behind their length.
 */

/** Bytes, and how far they have been read. */
export interface Cursor {
  bytes: Uint8Array
  at: number
}

/** Thrown when bytes do not have the structure they should have. */
export class Malformed extends Error {}

/**
 * Reads the next number. Throws `Malformed` at the end of the bytes, beyond 2^53, and for a form longer than needed,
 * which LevelDB never writes: a changed bit can turn a number into it without changing its value.
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
  throw new Malformed('a number has no end')
}

/** Reads a length and as many bytes. Throws `Malformed` when they are not all there. */
export function readSlice(cursor: Cursor): Uint8Array {
  const length = readVarint(cursor)
  const end = cursor.at + length
  if (end > cursor.bytes.length) throw new Malformed('bytes are cut short')
  const slice = cursor.bytes.subarray(cursor.at, end)
  cursor.at = end
  return slice
}
