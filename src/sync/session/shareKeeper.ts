/** Restricts sent entries to the items of the share, and records sent items as shared. For mirrors, everything passes. */
import type { Entry, ItemRef, WithdrawalEntry } from '../wire/entry.js'
import type { ItemRequest } from '../wire/message.js'
import type { FeedEntry } from '../wire/itemSet.js'
import { itemOf } from './batchBuilder.js'
import { maySend } from '../../store/replication/peers.js'
import { keysOf } from '../crdt/parseChange.js'
import type { Replica } from './replica.js'

interface Sorted {
  /** Entries of items that the peer has. */
  feed: readonly FeedEntry[]
  /** Items that came into the share. */
  whole: ItemRef[]
  withdrawn: WithdrawalEntry[]
  /** True when a stream was created, changed or deleted: other streams and events may have come into the share or left it. */
  rescan: boolean
  /** True when a stream was moved: items below it may have changed while it was outside. */
  moved: boolean
}

export interface ShareKeeper {
  sort(entries: readonly FeedEntry[]): Sorted
  /** Records items as shared, before they are sent. */
  noteEntries(entries: readonly Entry[]): Promise<void>
  /** Returns withdrawals of all items outside the share. */
  outsideScope(): Promise<WithdrawalEntry[]>
  /** Returns the streams within the share that were never sent to the peer, parents first. */
  newStreams(): Promise<readonly ItemRef[]>
  /** Yields the new streams of the share, then those of `items` that are not streams, with the series of events. */
  withStreams(items: readonly ItemRef[]): AsyncIterable<readonly ItemRequest[]>
  /** Returns the items that streams brought into the share since the last call, unless the peer has them in full; streams first. */
  enteredScope(): AsyncIterable<readonly ItemRequest[]>
  /** Updates the peer's share document of an item within the share; returns false when it was up to date, or there is none. */
  updateDocument(item: ItemRef): Promise<boolean>
  /** Yields the items within the share that were never sent to the peer; streams first. */
  missing(): AsyncIterable<readonly ItemRequest[]>
  /** Yields all items within the share; streams first. */
  all(): AsyncIterable<readonly ItemRequest[]>
  /** Records that the peer removed these items; returns those that lie within the share again and must be sent again. */
  forget(items: readonly ItemRef[]): Promise<readonly ItemRef[]>
  /**
   * Stops recording items outside the share as shared, unless this side is the grantor. An item created in a stream that the
   * grantor had deleted belongs to this side only. Call it once the peer has sent all its items. Returns withdrawals for
   * items that the peer may still count as shared, such as one that it deleted and that was created again here; none on a
   * receive-only side.
   */
  forgetOutside(): Promise<WithdrawalEntry[]>
}

export function createShareKeeper({ share, scope }: Pick<Replica, 'share' | 'scope'>): ShareKeeper {
  const decides = scope.is === 'share' && scope.grantor === 'us'

  const withdrawal = ({ kind, id }: ItemRef): WithdrawalEntry[] =>
    kind === 'event' || kind === 'stream' ? [{ kind, id, withdrawn: true }] : []

  async function* each(chosen: (item: ItemRef) => boolean): AsyncGenerator<readonly ItemRequest[]> {
    if (share === undefined) return
    for (const isTurn of [isStream, isNoStream]) {
      for await (const page of share.all()) {
        yield page.filter((item) => isTurn(item) && chosen(item)).map((item) => ({ item }))
      }
    }
  }

  const updateDocument = async (item: ItemRef): Promise<boolean> => share?.isApart(item) === true && (await share.answered(item)).length > 0

  /** Checks that the peer lacks an item, or has a share document of it with fewer streams than the item now has. */
  const mustBeSent = async (item: ItemRef): Promise<boolean> => share?.isNoted(item) === false || (await updateDocument(item))

  const newStreams = async (): Promise<readonly ItemRef[]> => (await share?.newStreams()) ?? []

  async function* withStreams(items: readonly ItemRef[]): AsyncGenerator<readonly ItemRequest[]> {
    yield (await newStreams()).map((item) => ({ item }))
    yield once(items.filter(isNoStream).flatMap(withSeries)).map((item) => ({ item }))
  }

  function sortOne(entry: FeedEntry, sorted: Sorted & { feed: FeedEntry[] }): void {
    const item = itemOf(entry)
    if (share === undefined || item === undefined || item.kind === 'access' || item.kind === 'profile') return
    const isIn = share.includes(item)
    const isNoted = share.isNoted(item)
    if (item.kind === 'stream') sorted.rescan = true
    if (item.kind === 'stream' && entry.action === 'update' && movesStream(entry)) sorted.moved = true
    if (isNoted && (isIn || entry.action === 'delete')) sorted.feed.push(entry)
    else if (isIn) sorted.whole.push(item)
    else if (isNoted && decides) sorted.withdrawn.push(...withdrawal(item))
  }

  return {
    sort(entries) {
      const sorted = { feed: [] as FeedEntry[], whole: [], withdrawn: [], rescan: false, moved: false }
      if (share === undefined) return { ...sorted, feed: entries }
      for (const entry of entries) sortOne(entry, sorted)
      return { ...sorted, whole: once(sorted.whole), withdrawn: once(sorted.withdrawn) }
    },
    async noteEntries(entries) {
      const fresh = entries.filter((entry) => !('withdrawn' in entry) && share?.isNoted(entry) === false)
      if (fresh.length > 0) await share?.note(fresh)
    },
    outsideScope: async () => (decides ? ((await share?.outsideScope()) ?? []).flatMap(withdrawal) : []),
    newStreams,
    withStreams,
    async *enteredScope() {
      yield (await newStreams()).map((item) => ({ item }))
      for await (const page of share?.enteredScope() ?? []) {
        const given: ItemRequest[] = []
        for (const item of page) if (isNoStream(item) && (await mustBeSent(item))) given.push({ item })
        yield given
      }
    },
    updateDocument: async (item) => share?.includes(item) === true && (await updateDocument(item)),
    missing: () => each((item) => share?.isNoted(item) === false),
    all: () => each(() => true),
    async forget(items) {
      await share?.forget(items)
      return items.filter((item) => share?.includes(item))
    },
    async forgetOutside() {
      const outside = decides ? [] : ((await share?.outsideScope()) ?? [])
      // A series goes with its event.
      if (maySend(scope)) return once(outside.map(({ kind, id }) => ({ kind: kind === 'stream' ? kind : 'event', id, withdrawn: true })))
      if (outside.length > 0) await share?.forget(outside)
      return []
    },
  }
}

function movesStream({ change }: FeedEntry): boolean {
  try {
    return change.length > 0 && keysOf(change).includes('parentId')
  } catch {
    // The streams of an unreadable item are unknown.
    return true
  }
}

const isStream = ({ kind }: ItemRef): boolean => kind === 'stream'
const isNoStream = (item: ItemRef): boolean => !isStream(item)

/** Returns an event with its series: points do not enter a share by entries of their own. */
const withSeries = (item: ItemRef): ItemRef[] => (item.kind === 'event' ? [item, { kind: 'series', id: item.id }] : [item])

function once<T extends ItemRef>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.kind + item.id, item])).values()]
}
