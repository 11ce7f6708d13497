/**
 * Encodes changes without redundant header bytes: the four magic bytes, the checksum, the kind and the length, which the
 * receiver restores. The merge validates the contents.
 */
import { hash } from 'node:crypto'
import { CHANGE_KIND, HASHED_FROM, MAGIC } from '../crdt/encodeChange.js'

/** Returns the number of bytes that `putUnsigned` writes for a number. */
function numberLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++
  return length
}

/** Returns the offset of the body of a change; undefined when its header cannot be restored from the body. */
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

/** Returns the body of a change; undefined for an unusual encoding, which is sent unmodified. */
export function changeToBody(change: Uint8Array): Uint8Array | undefined {
  const at = bodyFrom(change)
  return at === undefined ? undefined : change.subarray(at)
}

/** Restores the change with a body, including its checksum. */
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
