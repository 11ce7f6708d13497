/** Whether what is kept of an item is what Automerge makes of its changes. */
import { isDeepStrictEqual } from 'node:util'
import type { Comparison, StoredChanges } from '../../store/check/changes.js'
import type { Event } from '../../store/model/event.js'
import { eventToRecord } from '../../store/model/eventRecord.js'
import { RECOVERED } from '../../store/model/recovered.js'
import { canonicalStream, type Stream } from '../../store/model/stream.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import { materialise } from '../crdt/document.js'
import { fieldsToItem } from '../crdt/fields.js'
import { conflictsIn } from './applyChanges.js'

/** What repair shows for what the changes of an item say. */
function shownFor(item: Item, declared: Item, stored: StoredChanges): Item['item'] {
  if (item.kind === 'event' && declared.kind === 'event') {
    const { integrity } = item.item
    const there = declared.item.streamIds.filter(stored.isStream)
    const streamIds = there.length === 0 ? [RECOVERED] : there
    return { ...declared.item, streamIds, ...(integrity === undefined ? {} : { integrity }) }
  }
  if (item.kind !== 'stream' || declared.kind !== 'stream' || stored.place === undefined) return declared.item
  const { name, parentId } = declared.item
  if (!isDeepStrictEqual({ name, parentId }, stored.place)) return declared.item
  return { ...declared.item, name: item.item.name, parentId: item.item.parentId }
}

/** The bytes that an item is kept as. */
const textOf = ({ kind }: Item, item: Item['item']): string =>
  kind === 'event' ? eventToRecord(item as Event) : JSON.stringify(kind === 'stream' ? canonicalStream(item as Stream) : item)

/** Compares an item with what Automerge makes of its changes, and the bookkeeping with the one they would have. */
export const compareWithChanges: Comparison = (item, stored) => {
  const { changes, docState, isMet } = stored
  try {
    const merged = materialise(changes)
    const declared = fieldsToItem(item.kind, item.item.id, merged.fields)
    if (merged.missing.length > 0) return 'lacks changes that others build on'
    if (conflictsIn(merged.conflicts).length > 0 && !isMet) return 'has conflicts that are not noted'
    const displayed = textOf(item, shownFor(item, declared, stored))
    if (displayed !== textOf(item, item.item)) return `is not what its changes say: ${displayed}`
    return docState === undefined || Buffer.compare(docState, merged.docState) === 0 ? undefined : 'has a wrong bookkeeping'
  } catch (error) {
    return `has changes that cannot be read: ${String(error)}`
  }
}
