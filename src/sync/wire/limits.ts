/**
 * Limits of one entry of the exchange, checked by sender and receiver alike. The sender puts aside entries beyond them, and
 * the receiver refuses only their items, so that one item never ends a session.
 */
import type { Register } from '../../store/model/profileRegisters.js'
import { ACCESS_ID } from '../../store/model/access.js'
import { MAX_ID_LENGTH } from '../../store/model/slug.js'
import { idObjectionOf, type RefusalReason } from '../crdt/validate.js'
import type { ChangesEntry, Entry, ItemRef, ProfileEntry } from './entry.js'

/** Maximum bytes of a group before compression. */
export const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** Bytes of a group besides a single entry: ids, lengths, its feed position. */
const GROUP_SLACK = 512 * 1024
/** Maximum bytes of one entry, and so of one change. */
export const MAX_ENTRY_BYTES = MAX_GROUP_BYTES - GROUP_SLACK
/** Bytes of a register besides its key and value. */
const REGISTER_BYTES = 32

/** Returns the approximate bytes of a register of a profile set. */
export const registerBytes = (register: Register): number =>
  REGISTER_BYTES + ('key' in register ? Buffer.byteLength(register.key) + Buffer.byteLength(register.text) : register.removed.length)

/** Maximum number of fields that one entry sets: reading them blocks other work. */
export const MAX_OPERATIONS = 100_000

/** Approximate bytes of a digest with its file id. */
const FILE_BYTES = 32 + 40
const ROOT_BYTES = 32
/** Bytes of an entry besides its content. */
const ENTRY_BYTES = 32

/** An item that is not exchanged, with the limit that excludes it. */
export interface AsideItem {
  item: ItemRef
  reason: RefusalReason
  /** One sentence for people: the limit, and the action to take. */
  message: string
}

type Objection = Omit<AsideItem, 'item'>

/** Reasons due to the item itself: sending it again changes nothing, so both sides exclude it from their comparison. */
const LIMITS: ReadonlySet<string> = new Set<RefusalReason>(['damaged', 'invalid', 'too-large'])
export const isLimit = (reason: string): boolean => LIMITS.has(reason)

/** Returns the approximate bytes of an entry in a group. */
export function entryBytes(entry: Entry): number {
  let length = ENTRY_BYTES + entry.id.length
  if ('changes' in entry) {
    for (const change of entry.changes) length += change.length
    length += (entry.files?.size ?? 0) * FILE_BYTES
  } else if ('registers' in entry) {
    for (const register of entry.registers) length += registerBytes(register)
  } else if ('segments' in entry) for (const segment of entry.segments) length += segment.length
  else if ('token' in entry) length += Buffer.byteLength(JSON.stringify(entry.access)) + Buffer.byteLength(entry.token.reveal())
  else if ('roots' in entry) length += (entry.roots?.length ?? 0) * ROOT_BYTES
  return length
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)

/** Returns the limit that an entry exceeds; undefined when it can be sent. */
export function entryObjection(entry: Entry): Objection | undefined {
  const objection = idObjection(entry)
  if (objection !== undefined) return objection
  if ('changes' in entry) return changesObjection(entry)
  if ('registers' in entry) return registersObjection(entry)
  const bytes = entryBytes(entry)
  return bytes > MAX_ENTRY_BYTES ? tooLarge(`It has ${megabytes(bytes)} MB`) : undefined
}

/** Returns the reason why an item's id cannot be sent; undefined when it is within the limit. */
export const idObjection = ({ id }: ItemRef): Objection | undefined =>
  id.length <= MAX_ID_LENGTH
    ? undefined
    : { reason: 'too-large', message: `Its id has ${id.length} characters; the maximum is ${MAX_ID_LENGTH}. Create the item again with a shorter id, and delete this one.` }

function changesObjection({ changes, files }: ChangesEntry): Objection | undefined {
  const files_ = (files?.size ?? 0) * FILE_BYTES
  for (const { length } of changes) {
    if (length + files_ > MAX_ENTRY_BYTES) return tooLarge(`One of its changes has ${megabytes(length + files_)} MB`)
  }
  return undefined
}

function registersObjection({ registers }: ProfileEntry): Objection | undefined {
  const largest = registers.reduce((max, register) => Math.max(max, registerBytes(register)), 0)
  if (largest <= MAX_ENTRY_BYTES) return undefined
  return {
    reason: 'too-large',
    message: `One of its keys has ${megabytes(largest)} MB; the limit for sync is ${megabytes(MAX_ENTRY_BYTES)} MB. Set it to a smaller value.`,
  }
}

const tooLarge = (what: string): Objection => ({
  reason: 'too-large',
  message: `${what}; the limit for sync is ${megabytes(MAX_ENTRY_BYTES)} MB. Create several smaller items instead, and delete this one.`,
})

/** Checks whether items with such an id are exchanged. */
export function isExchanged({ kind, id }: ItemRef): boolean {
  if (kind === 'access') return ACCESS_ID.test(id)
  return idObjectionOf(kind === 'series' ? 'event' : kind, id) === undefined
}
