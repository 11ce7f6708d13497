/**
 * Which streams go before a group: an event that comes before its stream would seem to have lost it, and a stream that
 * comes before its parent to lie outside of what is shared. The feed alone does not keep that order. Of a share, moving
 * one stream brings others that it says nothing of; and events that are given beside the feed are given as they are by
 * now, perhaps in streams that it has not come to.
 */
import type { Entry, ItemRef } from '../items/entry.js'
import type { Group } from '../wire/message.js'
import type { Replica } from './replica.js'
import { createItemReader, type ItemReader } from './itemReader.js'
import type { ShareKeeper } from './shareKeeper.js'

/** A group that is ready to go. */
export interface BuiltGroup {
  group: Group
  /** What it is: the next of the feed, items that are given beside it, or an answer to requests. */
  by: 'feed' | 'items' | 'requests'
}

export interface CausalOrder {
  /** The next streams that go before a group, no more than go into one themselves; none when it is the group's turn. */
  before(gathered: BuiltGroup): Promise<Entry[]>
}

export interface CausalOrderOptions {
  replica: Replica
  share: Pick<ShareKeeper, 'newStreams' | 'noteEntries'>
  /** The sequence up to which the other side has the streams, when a group of a kind is about to go. */
  position(by: BuiltGroup['by']): number
}

export function createCausalOrder({ replica, share, position }: CausalOrderOptions): CausalOrder {
  let looked: BuiltGroup | undefined
  let picker: ItemReader | undefined

  async function streamsOf({ group: { entries }, by }: BuiltGroup): Promise<readonly ItemRef[]> {
    const changed = entries.filter((entry) => 'changes' in entry)
    const events = changed.filter(({ kind }) => kind === 'event')
    if (replica.share !== undefined) {
      // Streams that are given beside the feed are new themselves, each after its parent.
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
