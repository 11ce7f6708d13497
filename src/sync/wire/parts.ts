/**
 * Encoding of the parts that several messages have in common: growing byte buffers (`Column`) for writing, readers of basic
 * values received from another node, and the parts made of these.
 */
import { ELEMENT_LENGTH } from '../../store/model/digestElement.js'
import type { Direction, Scope } from '../../store/replication/peers.js'
import { putText, putUnsigned, skipBytes, takeByte, takeBytes, takeText, takeUnsigned, textLength, type Reader } from '../crdt/bytes.js'
import type { RefusalReason } from '../crdt/validate.js'
import type { ItemKind, ItemRef } from './entry.js'
import type { Digest, Position } from './itemSet.js'
import type { AsideItem } from './limits.js'
import type { ItemRequest } from './message.js'
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

export const doubleFrom = (r: Reader): number => r.bytes.readDoubleLE(skipBytes(r, 8))

/** Reads bytes written by `addBlock`, without a copy. */
export const blockFrom = (r: Reader): Buffer => takeBytes(r, takeUnsigned(r))

/**
 * Reads the number of elements that follow, each of at least `min` bytes. `holding` contains them, `r` unless given.
 * @throws ProtocolError `damaged` when they cannot fit
 */
export function countFrom(r: Reader, holding: Reader = r, min = 1): number {
  const count = takeUnsigned(r)
  if (count * min > holding.end - holding.at) throw damaged('a list that is longer than its bytes')
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

const KINDS: readonly ItemKind[] = ['event', 'stream', 'profile', 'access', 'series']
const DIRECTIONS: readonly Direction[] = ['send', 'receive', 'both']
const GRANTORS: readonly ('us' | 'them')[] = ['us', 'them']

/** Adds a feed position; an empty epoch stands for none. */
export function addPosition(c: Column, position: Position | undefined): void {
  addText(c, position?.epoch ?? '')
  if (position !== undefined) addNumber(c, position.sequence)
}

export function positionFrom(r: Reader): Position | undefined {
  const epoch = textFrom(r)
  return epoch === '' ? undefined : { epoch, sequence: takeUnsigned(r) }
}

export const addDigest = (c: Column, { state }: Digest): void => addBytes(c, state)

export const digestFrom = (r: Reader): Digest => ({ state: new Uint8Array(takeBytes(r, ELEMENT_LENGTH)) })

export function addItem(c: Column, { kind, id }: ItemRef): void {
  addByte(c, KINDS.indexOf(kind))
  addText(c, id)
}

export function itemFrom(r: Reader): ItemRef {
  const kind = KINDS[takeByte(r)]
  if (kind === undefined) throw damaged('an item of an unknown kind')
  return { kind, id: textFrom(r) }
}

const REASONS: readonly RefusalReason[] = ['damaged', 'invalid', 'out-of-scope', 'taken', 'too-large']

export function addAside(c: Column, items: readonly AsideItem[]): void {
  addNumber(c, items.length)
  for (const { item, reason, message } of items) {
    addItem(c, item)
    addByte(c, REASONS.indexOf(reason))
    addSentence(c, message)
  }
}

export function asideFrom(r: Reader): AsideItem[] {
  const items: AsideItem[] = []
  for (let left = countFrom(r, r, 4); left > 0; left--) {
    const item = itemFrom(r)
    const reason = REASONS[takeByte(r)]
    if (reason === undefined) throw damaged('a refusal without a valid reason')
    items.push({ item, reason, message: textFrom(r) })
  }
  return items
}

/** Adds the version vector of a series; undefined for other items. */
export function addVersionVector(c: Column, versionVector: ReadonlyMap<string, number> | undefined): void {
  addNumber(c, versionVector === undefined ? 0 : versionVector.size + 1)
  for (const [actor, time] of versionVector ?? []) {
    addText(c, actor)
    addNumber(c, time)
  }
}

export function versionVectorFrom(r: Reader): Map<string, number> | undefined {
  const count = takeUnsigned(r) - 1
  if (count < 0) return undefined
  if (count * 2 > r.end - r.at) throw damaged('a list that is longer than its bytes')
  const versionVector = new Map<string, number>()
  for (let left = count; left > 0; left--) versionVector.set(textFrom(r), takeUnsigned(r))
  return versionVector
}

/** Maximum number of items of one request. */
const MAX_ITEM_REQUESTS = 256

export function addItemRequests(c: Column, items: readonly ItemRequest[]): void {
  addNumber(c, items.length)
  for (const { item, versionVector } of items) {
    addItem(c, item)
    addVersionVector(c, versionVector)
  }
}

export function itemRequestsFrom(r: Reader): ItemRequest[] {
  const count = countFrom(r, r, 3)
  if (count > MAX_ITEM_REQUESTS) throw damaged('a request for too many items')
  const items: ItemRequest[] = []
  for (let left = count; left > 0; left--) {
    const item = itemFrom(r)
    const versionVector = versionVectorFrom(r)
    items.push({ item, ...(versionVector === undefined ? {} : { versionVector }) })
  }
  return items
}

const MAX_STREAMS = 10_000

export function addScope(c: Column, scope: Scope): void {
  addByte(c, scope.is === 'mirror' ? 0 : 1)
  if (scope.is === 'mirror') return
  addByte(c, DIRECTIONS.indexOf(scope.direction))
  addByte(c, GRANTORS.indexOf(scope.grantor))
  addNumber(c, scope.streams.length)
  for (const stream of scope.streams) addText(c, stream)
}

export function scopeFrom(r: Reader): Scope {
  const kind = takeByte(r)
  if (kind === 0) return { is: 'mirror' }
  const direction = DIRECTIONS[takeByte(r)]
  const grantor = GRANTORS[takeByte(r)]
  if (kind !== 1 || direction === undefined || grantor === undefined) throw damaged('an invalid scope')
  const count = countFrom(r)
  if (count > MAX_STREAMS) throw damaged('a scope with too many streams')
  const streams: string[] = []
  for (let left = count; left > 0; left--) streams.push(textFrom(r))
  return { is: 'share', streams, direction, grantor }
}
