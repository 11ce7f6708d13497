/** Checks that a stored item equals the one that Automerge materialises from its changes. */
import { isDeepStrictEqual } from 'node:util'
import type { Comparison, StoredChanges } from '../../store/check/changes.js'
import type { Event } from '../../store/model/event.js'
import { eventToRecord } from '../../store/model/eventRecord.js'
import { RECOVERED } from '../../store/model/recovered.js'
import type { Stream } from '../../store/model/stream.js'
import { canonicalStream } from '../../store/model/streams/fields.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import { materialise } from '../crdt/document.js'
import { fieldsToItem } from '../crdt/fields.js'
import { conflictsIn } from './applyChanges.js'

/** Returns the materialised item with the stream placement and integrity that the store adds to it. */
function expectedItem(item: Item, declared: Item, stored: StoredChanges): Item['item'] {
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

/** Returns the text under which an item is stored. */
const textOf = ({ kind }: Item, item: Item['item']): string =>
  kind === 'event' ? eventToRecord(item as Event) : JSON.stringify(kind === 'stream' ? canonicalStream(item as Stream) : item)

/** Compares an item and its document state with those materialised from its changes; returns the difference as text. */
export const compareWithChanges: Comparison = (item, stored) => {
  const { changes, docState, hasRecordedConflict } = stored
  try {
    const merged = materialise(changes)
    const declared = fieldsToItem(item.kind, item.item.id, merged.fields)
    if (merged.missing.length > 0) return 'lacks changes that others build on'
    if (conflictsIn(merged.conflicts).length > 0 && !hasRecordedConflict) return 'has conflicts that are not recorded'
    const expected = textOf(item, expectedItem(item, declared, stored))
    if (expected !== textOf(item, item.item)) return `differs from its changes: ${expected}`
    return docState === undefined || Buffer.compare(docState, merged.docState) === 0 ? undefined : 'has a wrong document state'
  } catch (error) {
    return `has changes that cannot be read: ${String(error)}`
  }
}
