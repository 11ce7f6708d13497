/**
 * Orders groups so that a stream precedes its events and a parent its children; otherwise the peer would treat the event as
 * orphaned, or the stream as outside the share. The feed alone does not guarantee this order: moving a stream can bring
 * others into a share without entries of their own, and events sent beside the feed may refer to streams that the feed has
 * not reached.
 */
import type { Entry, ItemRef } from '../wire/entry.js'
import type { Group } from '../wire/message.js'
import type { Replica } from './replica.js'
import { createItemReader, type ItemReader } from './itemReader.js'
import type { ShareKeeper } from './shareKeeper.js'

/** A group that is ready to be sent. */
export interface BuiltGroup {
  group: Group
  /** Source of the group: the feed, items sent beside the feed, or a request of the peer. */
  by: 'feed' | 'items' | 'requests'
}

interface CausalOrder {
  /** Returns the next streams to send before a group, at most one group of them; none once the group itself can be sent. */
  before(gathered: BuiltGroup): Promise<Entry[]>
}

interface CausalOrderOptions {
  replica: Replica
  share: Pick<ShareKeeper, 'newStreams' | 'noteEntries'>
  /** Returns the sequence up to which the peer has the streams when a group of this source is sent. */
  position(by: BuiltGroup['by']): number
}

export function createCausalOrder({ replica, share, position }: CausalOrderOptions): CausalOrder {
  let looked: BuiltGroup | undefined
  let picker: ItemReader | undefined

  async function streamsOf({ group: { entries }, by }: BuiltGroup): Promise<readonly ItemRef[]> {
    const changed = entries.filter((entry) => 'changes' in entry)
    const events = changed.filter(({ kind }) => kind === 'event')
    if (replica.share !== undefined) {
      // Streams sent beside the feed are new themselves, parents first.
      const naming = by === 'items' ? events : changed
      return naming.length > 0 ? share.newStreams() : []
    }
    if (by === 'feed') return []
    const ids = new Set(events.flatMap(({ id }) => replica.streamsBehind(id, position(by))))
    return [...ids].map((id) => ({ kind: 'stream', id }))
  }

  return {
    async before(gathered) {
      if (gathered !== looked) {
        looked = gathered
        const streams = await streamsOf(gathered)
        picker = streams.length > 0 ? createItemReader(replica, streams.map((item) => ({ item }))) : undefined
      }
      if (picker === undefined || picker.isDone) return []
      const { entries } = await picker.next()
      await share.noteEntries(entries)
      return entries
    },
  }
}
