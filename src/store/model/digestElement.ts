/**
 * Replica digest: the XOR of one 16-byte element per change, deletion and write, for an account, an item or any part of it.
 * Order-independent and updated incrementally per commit. Detects accidental divergence; not collision-resistant.
 * An item key is the letter of its kind and its id: `e<event>`, `s<stream>`, `p<profile set>`, `a<access>`, `m<holder of a
 * series>`.
 */
import { hash } from 'node:crypto'

/** 16 bytes. */
export type DigestElement = Uint8Array

export const ELEMENT_LENGTH = 16
/** Offset of the hashed part of a change, after magic and checksum. */
const HASHED_FROM = 8

/** Returns the digest of an empty set. */
export const zeroDigest = (): DigestElement => new Uint8Array(ELEMENT_LENGTH)

/** Checks whether a digest is that of an empty set. */
export const isZeroDigest = (state: DigestElement): boolean => state.every((byte) => byte === 0)

/** Adds an element to a digest or removes it: both are an XOR in place. */
export function xorInto(state: DigestElement, element: DigestElement): void {
  for (let i = 0; i < ELEMENT_LENGTH; i++) state[i] = (state[i] ?? 0) ^ (element[i] ?? 0)
}

/** Hashes an item key to 32 evenly distributed bits, the same on every node. */
export function itemHash(item: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < item.length; i++) h = Math.imul(h ^ item.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Returns the element of a CRDT change of an item. `change` is uncompressed. */
export const changeElement = (item: string, change: Uint8Array): DigestElement =>
  bound(item, hash('sha256', change.subarray(HASHED_FROM), 'buffer'))

/** Returns the element of any other fact about an item, as a text equal on every node. */
export const textElement = (item: string, text: string): DigestElement => bound(item, hash('sha256', text, 'buffer'))

/** Returns the element of an event deletion, at `deleted` seconds. */
export const deletionElement = (item: string, deleted: number): DigestElement => textElement(item, `deleted ${deleted}`)

/** Returns the element of a stream deletion, with the hashes of the first changes that it covers. */
export const tombstoneElement = (item: string, deleted: number, roots: readonly string[]): DigestElement =>
  textElement(item, `deleted ${deleted} ${[...roots].sort().join(' ')}`)

/** Returns the element of a series version: the points that a process wrote have arrived up to a stamp in microseconds. */
export const seriesVersionElement = (item: string, actor: string, time: number): DigestElement => textElement(item, `${actor} ${time}`)

/** Mixes the item key into every part of the element, so that equal changes of two items do not cancel out. */
function bound(item: string, digest: Buffer): DigestElement {
  const element = Buffer.allocUnsafeSlow(ELEMENT_LENGTH)
  const own = itemHash(item)
  for (let at = 0; at < ELEMENT_LENGTH; at += 4) {
    let h = digest.readUInt32LE(at) ^ Math.imul(own, 0x9e3779b1 + 2 * at)
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
    element.writeUInt32LE((h ^ (h >>> 15)) >>> 0, at)
  }
  return element
}

/** Checks whether an item is never replicated: account fields, which are events with ids of account streams. */
export const isNodeLocal = (item: string): boolean => item.startsWith('e:_system:') || item.startsWith('e:system:')
