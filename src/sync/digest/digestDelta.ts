/** By what an entry of the journal changes the state of its account. */
import type { EntryAction, EntryKind } from '../../store/engine/journal.js'
import { changeElement, ELEMENT_LENGTH, isNodeLocal, type DigestElement } from '../../store/model/digestElement.js'
import type { ItemKind } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'

const ITEMS: Partial<Record<EntryKind, ItemKind>> = {
  event: 'event',
  stream: 'stream',
  profile: 'profile',
  access: 'access',
  series: 'series',
}

/** Whether the items of a kind are CRDT documents, whose entries hold changes. */
export const isDocument = (kind: EntryKind): boolean => kind === 'event' || kind === 'stream'

/** The kind of item that entries of a kind are about; undefined for what stays with its node. */
export const itemKindOf = (kind: EntryKind): ItemKind | undefined => ITEMS[kind]

export interface DigestDelta {
  /** The item, as in `e<event>`. */
  item: string
  /** What changes in its state. */
  element?: DigestElement
  /** The entry does not tell what changes: the state of its item is to be worked out. */
  isUnclear?: true
}

/**
 * What an entry changes; undefined when its item is none of the state. Deletions without a change are of journals that
 * did not say by what the state changes, and so are entries of series whose change has another length.
 */
export function digestDelta(kind: EntryKind, action: EntryAction, id: string, change: Uint8Array): DigestDelta | undefined {
  if (itemKindOf(kind) === undefined) return undefined
  const item = itemKey({ kind, id })
  if (isNodeLocal(item)) return undefined
  const isDeletion = action === 'delete'
  if (isDocument(kind) && !isDeletion) return { item, element: changeElement(item, change) }
  if (change.length === ELEMENT_LENGTH) return { item, element: change }
  return change.length > 0 || (isDeletion && isDocument(kind)) ? { item, isUnclear: true } : { item }
}
