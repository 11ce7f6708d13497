/**
 * By what copies of an account are compared: every change, deletion and write is an element of 16 bytes, and the state of
 * an account, of an item, or of any part of it is the exclusive or of its elements. So one commit changes the state of
 * the whole by as much as it changes that of its item, whatever the order of commits. Elements tell copies of one owner's
 * data apart that differ by accident; against those who construct differences on purpose they are no proof.
 *
 * An item is named by the letter of its kind and its id, as in `e<event>`, `s<stream>`, `p<profile set>`, `a<access>`,
 * `m<holder of a series>`.
 */
import { hash } from 'node:crypto'

/** 16 bytes. */
export type DigestElement = Uint8Array

export const ELEMENT_LENGTH = 16
/** Where the hash of a change begins; the bytes before it are its magic and its checksum. */
const HASHED_FROM = 8

/** The state of nothing. */
export const zeroDigest = (): DigestElement => new Uint8Array(ELEMENT_LENGTH)

/** Adds an element to a state, or takes it away: both are the same. */
export function xorInto(state: DigestElement, element: DigestElement): void {
  for (let i = 0; i < ELEMENT_LENGTH; i++) state[i] = (state[i] ?? 0) ^ (element[i] ?? 0)
}

/** 32 bits that spread items evenly, the same on every node. */
export function itemHash(item: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < item.length; i++) h = Math.imul(h ^ item.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** The element of a CRDT change of an item. `change` is uncompressed. */
export const changeElement = (item: string, change: Uint8Array): DigestElement =>
  bound(item, hash('sha256', change.subarray(HASHED_FROM), 'buffer'))

/** The element of a change whose hash is known, as hexadecimal digits. */
export const hashElement = (item: string, changeHash: string): DigestElement => bound(item, Buffer.from(changeHash, 'hex'))

/** The element of anything else that is true of an item, said as a text that is the same on every node. */
export const textElement = (item: string, text: string): DigestElement => bound(item, hash('sha256', text, 'buffer'))

/** The deletion of an event, at `deleted` seconds. */
export const deletionElement = (item: string, deleted: number): DigestElement => textElement(item, `deleted ${deleted}`)

/** The deletion of a stream, and the hashes of the first changes that it covers. */
export const tombstoneElement = (item: string, deleted: number, roots: readonly string[]): DigestElement =>
  textElement(item, `deleted ${deleted} ${[...roots].sort().join(' ')}`)

/** That the points which a process wrote to a series are here up to a stamp, in microseconds. */
export const seriesVersionElement = (item: string, actor: string, time: number): DigestElement => textElement(item, `${actor} ${time}`)

/** Equal changes of two items must not cancel each other out, so the item goes into each part, not merely beside it. */
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

/** Whether an item stays with its node: account fields are events whose ids are those of account streams. */
export const isNodeLocal = (item: string): boolean => item.startsWith('e:_system:') || item.startsWith('e:system:')
