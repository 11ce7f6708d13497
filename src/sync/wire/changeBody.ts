/**
 * Changes without what follows from the rest of them: a change begins with four fixed bytes, four of its hash, its kind
 * and its length, which are made again on the other side. What they hold is for whoever merges them to check.
 */
import { hash } from 'node:crypto'
import { CHANGE_KIND, HASHED_FROM, MAGIC } from '../crdt/encodeChange.js'

/** The number of bytes of a number written as `putUnsigned` does. */
function numberLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++
  return length
}

/** Where the body of a change begins; undefined when what precedes it does not follow from it. */
function bodyFrom(change: Uint8Array): number | undefined {
  if (change[HASHED_FROM] !== CHANGE_KIND || MAGIC.some((byte, i) => change[i] !== byte)) return undefined
  let length = 0
  let scale = 1
  let at = HASHED_FROM + 1
  for (; at < change.length && at < HASHED_FROM + 8; at++, scale *= 128) {
    const byte = change[at] ?? 0
    length += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  at += 1
  return length === change.length - at && at === HASHED_FROM + 1 + numberLength(length) ? at : undefined
}

/** The body of a change; undefined for one that is not of the usual form and travels as it is. */
export function changeToBody(change: Uint8Array): Uint8Array | undefined {
  const at = bodyFrom(change)
  return at === undefined ? undefined : change.subarray(at)
}

/** The change with a body: the checksum is the one that the body calls for. */
export function bodyToChange(body: Uint8Array): Uint8Array {
  const lengthBytes = numberLength(body.length)
  const from = HASHED_FROM + 1 + lengthBytes
  const change = new Uint8Array(from + body.length)
  change.set(MAGIC)
  change[HASHED_FROM] = CHANGE_KIND
  let rest = body.length
  for (let at = HASHED_FROM + 1; at < from; at++, rest = Math.floor(rest / 128)) {
    change[at] = at === from - 1 ? rest : (rest & 0x7f) | 0x80
  }
  change.set(body, from)
  change.set(hash('sha256', change.subarray(HASHED_FROM), 'buffer').subarray(0, 4), MAGIC.length)
  return change
}
