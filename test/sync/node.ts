/** An event with its edits on one node. */
import type { Event } from '../../src/store/model/event.js'
import type { Stream } from '../../src/store/model/stream.js'
import type { ChangeRecorder, Item } from '../../src/store/engine/changeRecorder.js'
import { createRecorder } from '../../src/sync/crdt/document.js'

/** Actors that lose and win conflicts of edits with one counter. */
export const LOW = '00'.repeat(16)
export const HIGH = 'ff'.repeat(16)

const tracking = { created: 1700000000.123, createdBy: 'ca1', modified: 1700000000.123, modifiedBy: 'ca1' }
const kilos = { type: 'mass/kg', content: 72.5 }
export const event: Event = { id: 'e1', streamIds: ['heart'], ...kilos, time: 12.5, tags: [], ...tracking }
export const stream: Stream = { id: 's1', name: 'Heart', parentId: null, ...tracking }

export const asItem = (item: Event): Item => ({ kind: 'event', item })

export interface Node {
  changes: Uint8Array[]
  docState(): Uint8Array | undefined
  edit(patch: Partial<Event>): Uint8Array
}

/** Returns an event on one node, edited through a recorder. */
export function node(actor: string, first: Event, change?: Uint8Array): Node {
  const recorder: ChangeRecorder = createRecorder({ actor })
  const changes = [change ?? recorder.created(asItem(first))]
  let shows = first
  let docState: Uint8Array | undefined
  return {
    changes,
    docState: () => docState,
    edit(patch: Partial<Event>): Uint8Array {
      const after = { ...shows, ...patch }
      const prior = { ...(docState === undefined ? {} : { docState }), initialChange: () => changes[0] ?? new Uint8Array(0) }
      const edited = recorder.edited(asItem(shows), asItem(after), prior)
      docState = edited.docState
      shows = after
      changes.push(edited.change)
      return edited.change
    },
  }
}
