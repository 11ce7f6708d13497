/** Compares stored items with those that Automerge materialises from their changes. */
import { isDeepStrictEqual } from 'node:util'
import type { Comparison, StoredChanges } from '../../store/check/changes.js'
import type { Event } from '../../store/model/event.js'
import { eventToRecord } from '../../store/model/eventRecord.js'
import { RECOVERED } from '../../store/model/recovered.js'
import type { Stream } from '../../store/model/stream.js'
import { canonicalStream } from '../../store/model/streams/fields.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import { fieldsOfFirst, materialise } from '../crdt/document.js'
import { fieldsToEvent, fieldsToItem } from '../crdt/fields.js'
import { conflictsIn } from './applyChanges.js'

/** Returns an event in those of its declared streams that exist. */
function placedEvent(declared: Event, isStream: (id: string) => boolean): Event {
  if (declared.streamIds.length > 0 && declared.streamIds.every(isStream)) return declared
  const there = declared.streamIds.filter(isStream)
  return { ...declared, streamIds: there.length === 0 ? [RECOVERED] : there }
}

/** Returns the materialised item with the stream placement and integrity that the store adds to it. */
function expectedItem(item: Item, declared: Item, stored: StoredChanges): Item['item'] {
  if (item.kind === 'event' && declared.kind === 'event') {
    const { integrity } = item.item
    return { ...placedEvent(declared.item, stored.isStream), ...(integrity === undefined ? {} : { integrity }) }
  }
  if (item.kind !== 'stream' || declared.kind !== 'stream' || stored.place === undefined) return declared.item
  const { name, parentId } = declared.item
  if (!isDeepStrictEqual({ name, parentId }, stored.place)) return declared.item
  return { ...declared.item, name: item.item.name, parentId: item.item.parentId }
}

/** Returns the text under which an item is stored. */
const textOf = ({ kind }: Item, item: Item['item']): string =>
  kind === 'event' ? eventToRecord(item as Event) : JSON.stringify(kind === 'stream' ? canonicalStream(item as Stream) : item)

const differenceOf: Comparison['differenceOf'] = (item, stored) => {
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

/** Comparison of a store's records with their changes. */
export const changeComparison: Comparison = {
  differenceOf,
  initialRecord(id, change, isStream) {
    try {
      return eventToRecord(placedEvent(fieldsToEvent(id, fieldsOfFirst(change)), isStream))
    } catch {
      return undefined
    }
  },
}
