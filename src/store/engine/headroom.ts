/** Large changes with room before them, so that what a journal entry begins with is put there and they are not copied. */

/** Bytes before a change: an entry's head is shorter unless its id is long. */
const HEADROOM = 512

const withRoom = new WeakSet<Uint8Array>()

/** Allocates bytes that are all to be overwritten, with room before them. */
export function allocateWithHeadroom(length: number): Uint8Array {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(HEADROOM + length).buffer, HEADROOM, length)
  withRoom.add(bytes)
  return bytes
}

/** Puts a text before bytes of `allocateWithHeadroom`, once; undefined where there is no room. */
export function prefixed(text: string, bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.byteOffset !== HEADROOM || !withRoom.has(bytes)) return undefined
  const head = Buffer.from(text)
  if (head.length > HEADROOM) return undefined
  withRoom.delete(bytes)
  const whole = new Uint8Array(bytes.buffer, HEADROOM - head.length, head.length + bytes.length)
  whole.set(head)
  return whole
}
