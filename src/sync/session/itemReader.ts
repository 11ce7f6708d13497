/** Reads whole items in batches. */
import { itemKey, type ChangesEntry, type Entry, type ItemRef, type ProfileEntry } from '../wire/entry.js'
import type { Offer, ItemRequest } from '../wire/message.js'
import { isNodeLocal } from '../../store/model/digestElement.js'
import type { Register } from '../../store/model/profileRegisters.js'
import { Failure } from '../../store/model/failure.js'
import { sendableEntries, TARGET_BATCH_BYTES, MAX_ENTRIES, type Batch } from './batchBuilder.js'
import { MAX_ENTRY_BYTES, MAX_OPERATIONS, registerBytes } from '../wire/limits.js'
import { maySend } from '../../store/replication/peers.js'
import { parseChange } from '../crdt/parseChange.js'
import type { Replica } from './replica.js'

/** Maximum bytes of a piece of an item with many changes. */
const MAX_PIECE = 2 * 1024 * 1024
/** Size below which an entry cannot exceed the limit of fields. */
const FEW_BYTES = 128 * 1024

export interface ItemReader {
  /**
   * Returns the entries of the next items. Series without given version vectors are offered, since the peer may have most of
   * their points.
   */
  next(): Promise<Batch>
  readonly isDone: boolean
  /** Approximate number of items not yet read. */
  readonly left: number
}

/** Creates a reader of items in the given order. `onLack` is called for items that are missing or not for the peer. */
export function createItemReader(
  replica: Replica,
  items: readonly ItemRequest[] | AsyncIterable<readonly ItemRequest[]>,
  onLack: (item: ItemRef) => void = () => {},
): ItemReader {
  const pages = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : undefined
  let page: readonly ItemRequest[] = pages === undefined ? (items as readonly ItemRequest[]) : []
  let at = 0
  let isDone = pages === undefined && page.length === 0
  let pieces: Entry[] = []

  async function read({ item, versionVector }: ItemRequest): Promise<Entry[]> {
    const entries = mayHave(replica, item) ? sendableEntries(replica, item, await replica.read(item, versionVector)) : []
    if (entries.length === 0) onLack(item)
    return entries
  }

  async function offerOf({ item, versionVector }: ItemRequest): Promise<Offer | undefined> {
    if (item.kind !== 'series' || versionVector !== undefined || !mayHave(replica, item)) return undefined
    const mine = await replica.versionVector(item.id)
    return mine.size === 0 ? undefined : { item, versionVector: mine }
  }

  async function turnPage(): Promise<boolean> {
    const turned = await pages?.next()
    if (turned === undefined || turned.done === true) return false
    page = turned.value
    at = 0
    return true
  }

  return {
    async next() {
      const entries: Entry[] = []
      const offers: Offer[] = []
      let bytes = 0
      while (entries.length + offers.length < MAX_ENTRIES && bytes < TARGET_BATCH_BYTES) {
        const piece = pieces.shift()
        if (piece !== undefined) {
          entries.push(piece)
          bytes += lengthOf(piece)
          continue
        }
        const wanted = page[at]
        if (wanted !== undefined) {
          at += 1
          const offer = await offerOf(wanted)
          if (offer !== undefined) offers.push(offer)
          else pieces = (await read(wanted)).flatMap(inPieces)
        } else if (!(await turnPage())) break
      }
      if (pieces.length === 0 && at >= page.length) {
        isDone = pages === undefined || !(await turnPage())
      }
      return { entries, offers }
    },
    get isDone() {
      return isDone
    },
    get left() {
      return page.length - at
    },
  }
}

/** Checks whether the peer may receive an item, or its deletion. */
export function mayHave({ scope, share }: Replica, item: ItemRef): boolean {
  if (!maySend(scope) || isNodeLocal(itemKey(item))) return false
  return share === undefined || share.includes(item) || (item.kind !== 'series' && share.isNoted(item))
}

/** Estimates the bytes of an entry. */
function lengthOf(entry: Entry): number {
  let length = 32
  if ('changes' in entry) for (const change of entry.changes) length += change.length
  else if ('registers' in entry) for (const register of entry.registers) length += registerBytes(register)
  else if ('segments' in entry) for (const segment of entry.segments) length += segment.length
  else if ('token' in entry) length += 1024
  return length
}

/**
 * Splits the changes of an item: each part builds on the ones before and sets no more fields than one entry may. Registers
 * of a profile set are independent of each other.
 */
export function inPieces(entry: Entry): Entry[] {
  if ('registers' in entry) return registersInPieces(entry)
  if (!('changes' in entry) || entry.changes.length < 2 || lengthOf(entry) <= FEW_BYTES) return [entry]
  const pieces: ChangesEntry[] = []
  let changes: Uint8Array[] = []
  let length = 0
  let operations = 0
  const close = (): void => {
    if (changes.length > 0) pieces.push({ ...entry, changes })
    changes = []
    length = operations = 0
  }
  for (const change of entry.changes) {
    const sets = operationsOf(change)
    if (length + change.length > MAX_PIECE || operations + sets > MAX_OPERATIONS) close()
    changes.push(change)
    length += change.length
    operations += sets
  }
  close()
  return pieces
}

function registersInPieces(entry: ProfileEntry): Entry[] {
  if (entry.registers.length < 2 || lengthOf(entry) <= FEW_BYTES) return [entry]
  // A set with a register that exceeds the limit is put aside as a whole.
  if (entry.registers.some((register) => registerBytes(register) > MAX_ENTRY_BYTES)) return [entry]
  const pieces: ProfileEntry[] = []
  let registers: Register[] = []
  let length = 0
  for (const register of entry.registers) {
    const bytes = registerBytes(register)
    if (registers.length > 0 && (length + bytes > MAX_PIECE || registers.length >= MAX_OPERATIONS)) {
      pieces.push({ ...entry, registers })
      registers = []
      length = 0
    }
    registers.push(register)
    length += bytes
  }
  pieces.push({ ...entry, registers })
  return pieces
}

/** Counts the fields that a change sets; 0 for an unreadable one, which the receiver refuses. */
function operationsOf(change: Uint8Array): number {
  try {
    return parseChange(change).operations
  } catch (error) {
    if (error instanceof Failure) return 0
    throw error
  }
}
