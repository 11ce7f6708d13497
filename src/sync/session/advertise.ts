/**
 * What a side of a share that gives nothing shows of the items in which both differ: that it has them. It may have been
 * restored to a time before one of them left the share, which nothing would tell it again.
 */
import type { Offer } from '../wire/message.js'
import type { ItemRef } from '../items/entry.js'
import { MAX_ENTRIES } from './batchBuilder.js'
import type { Replica } from './replica.js'
import type { ItemReader } from './itemReader.js'

/** Shows items in their order, a group's worth at a time: ids, and hashes of what first changes the other side gave. */
export function createAdvertiser({ share }: Pick<Replica, 'share'>, items: readonly ItemRef[]): ItemReader {
  // A series goes with its event.
  const displayed = items.filter(({ kind }) => kind === 'event' || kind === 'stream')
  let at = 0
  return {
    next() {
      const page = displayed.slice(at, at + MAX_ENTRIES)
      at += page.length
      const offers = page.map((item): Offer => ({ item, roots: share?.roots(item) ?? [] }))
      return Promise.resolve({ entries: [], offers })
    },
    get isDone() {
      return at >= displayed.length
    },
    get left() {
      return displayed.length - at
    },
  }
}
