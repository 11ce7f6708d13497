/**
 * What a side of a share that gives nothing shows of the items in which both differ: that it has them. It may have been
 * restored to a time before one of them left the share, which nothing would tell it again.
 */
import type { Offer } from '../exchange/message.js'
import type { ItemRef } from '../entry.js'
import { MOST_ENTRIES } from './gather.js'
import type { Holdings } from './holdings.js'
import type { Picker } from './picking.js'

/** Shows items in their order, a group's worth at a time: ids, and hashes of what first changes the other side gave. */
export function createShower({ share }: Pick<Holdings, 'share'>, items: readonly ItemRef[]): Picker {
  // A series goes with its event.
  const shown = items.filter(({ kind }) => kind === 'event' || kind === 'stream')
  let at = 0
  return {
    next() {
      const page = shown.slice(at, at + MOST_ENTRIES)
      at += page.length
      const offers = page.map((item): Offer => ({ item, roots: share?.roots(item) ?? [] }))
      return Promise.resolve({ entries: [], offers })
    },
    get isDone() {
      return at >= shown.length
    },
    get left() {
      return shown.length - at
    },
  }
}
