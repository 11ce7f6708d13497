/**
 * Lets a receive-only peer advertise the ids of differing items, so the sender can withdraw copies that a restored backup
 * brought back.
 */
import type { Offer } from '../wire/message.js'
import type { ItemRef } from '../items/entry.js'
import { MAX_ENTRIES } from './batchBuilder.js'
import type { Replica } from './replica.js'
import type { ItemReader } from './itemReader.js'

/** Creates a reader of offers: ids of the items with hashes of the first changes that the peer sent, one batch at a time. */
export function createAdvertiser({ share }: Pick<Replica, 'share'>, items: readonly ItemRef[]): ItemReader {
  // Series are withdrawn together with their events.
  const advertised = items.filter(({ kind }) => kind === 'event' || kind === 'stream')
  let at = 0
  return {
    next() {
      const page = advertised.slice(at, at + MAX_ENTRIES)
      at += page.length
      const offers = page.map((item): Offer => ({ item, roots: share?.roots(item) ?? [] }))
      return Promise.resolve({ entries: [], offers })
    },
    get isDone() {
      return at >= advertised.length
    },
    get left() {
      return advertised.length - at
    },
  }
}
