/**
 * Buffers of large changes with spare bytes in front, into which the head of the journal entry is written without copying the
 * change.
 */

/** Bytes before a change: an entry's head is shorter unless its id is long. */
const HEADROOM = 512

const withRoom = new WeakSet<Uint8Array>()

/** Allocates bytes with spare bytes in front. The caller must overwrite all of them. */
export function allocateWithHeadroom(length: number): Uint8Array {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(HEADROOM + length).buffer, HEADROOM, length)
  withRoom.add(bytes)
  return bytes
}

/** Writes a text in front of bytes of `allocateWithHeadroom`, once, and returns both; undefined where there is no room. */
export function prefixed(text: string, bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.byteOffset !== HEADROOM || !withRoom.has(bytes)) return undefined
  const head = Buffer.from(text)
  if (head.length > HEADROOM) return undefined
  withRoom.delete(bytes)
  const whole = new Uint8Array(bytes.buffer, HEADROOM - head.length, head.length + bytes.length)
  whole.set(head)
  return whole
}
