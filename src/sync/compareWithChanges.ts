/** Whether what is kept of an item is what Automerge makes of its changes. */
import { isDeepStrictEqual } from 'node:util'
import type { Comparison, KeptChanges } from '../store/check/changes.js'
import type { Event } from '../store/model/event.js'
import { eventToRecord } from '../store/model/eventRecord.js'
import { RECOVERED } from '../store/model/recovered.js'
import { canonicalStream, type Stream } from '../store/model/stream.js'
import type { Item } from '../store/ports.js'
import { materialise } from './document.js'
import { fieldsToItem } from './fields.js'
import { metIn } from './merge/documents.js'

/** What repair shows for what the changes of an item say. */
function shownFor(item: Item, said: Item, kept: KeptChanges): Item['item'] {
  if (item.kind === 'event' && said.kind === 'event') {
    const { integrity } = item.item
    const there = said.item.streamIds.filter(kept.isStream)
    const streamIds = there.length === 0 ? [RECOVERED] : there
    return { ...said.item, streamIds, ...(integrity === undefined ? {} : { integrity }) }
  }
  if (item.kind !== 'stream' || said.kind !== 'stream' || kept.place === undefined) return said.item
  const { name, parentId } = said.item
  if (!isDeepStrictEqual({ name, parentId }, kept.place)) return said.item
  return { ...said.item, name: item.item.name, parentId: item.item.parentId }
}

/** The bytes that an item is kept as. */
const textOf = ({ kind }: Item, item: Item['item']): string =>
  kind === 'event' ? eventToRecord(item as Event) : JSON.stringify(kind === 'stream' ? canonicalStream(item as Stream) : item)

/** Compares an item with what Automerge makes of its changes, and the bookkeeping with the one they would have. */
export const compareWithChanges: Comparison = (item, kept) => {
  const { changes, book, isMet } = kept
  try {
    const merged = materialise(changes)
    const said = fieldsToItem(item.kind, item.item.id, merged.fields)
    if (merged.missing.length > 0) return 'lacks changes that others build on'
    if (metIn(merged.conflicts).length > 0 && !isMet) return 'has conflicts that are not noted'
    const shown = textOf(item, shownFor(item, said, kept))
    if (shown !== textOf(item, item.item)) return `is not what its changes say: ${shown}`
    return book === undefined || Buffer.compare(book, merged.book) === 0 ? undefined : 'has a wrong bookkeeping'
  } catch (error) {
    return `has changes that cannot be read: ${String(error)}`
  }
}
