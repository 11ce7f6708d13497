/** Computes the effect of a journal entry on the digest of its account. */
import type { EntryAction, EntryKind } from '../../store/engine/journal.js'
import { changeElement, ELEMENT_LENGTH, isNodeLocal, type DigestElement } from '../../store/model/digestElement.js'
import { itemKey, type ItemKind } from '../wire/entry.js'

const ITEMS: Partial<Record<EntryKind, ItemKind>> = {
  event: 'event',
  stream: 'stream',
  profile: 'profile',
  access: 'access',
  series: 'series',
}

/** Checks whether items of a kind are CRDT documents, whose entries hold changes. */
export const isDocument = (kind: EntryKind): boolean => kind === 'event' || kind === 'stream'

/** Returns the item kind of journal entries of a kind; undefined for node-local entries. */
export const itemKindOf = (kind: EntryKind): ItemKind | undefined => ITEMS[kind]

interface DigestDelta {
  /** Item key, such as `e<event>`. */
  item: string
  /** Element to toggle in the state of the item. */
  element?: DigestElement
  /** True when the entry does not contain the effect: the state of its item must be read. */
  isUnclear?: true
}

/**
 * Returns the effect of an entry; undefined when its item is outside the digest. The effect is unclear for deletions without
 * a change, and for entries of series whose change has another length; both come from older journals.
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
