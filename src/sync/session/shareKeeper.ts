/** Keeps what is given within what is shared, and what was given noted. Of mirrors, everything passes. */
import type { Entry, ItemRef, WithdrawalEntry } from '../items/entry.js'
import type { Wanted } from '../wire/message.js'
import type { FeedEntry } from '../wire/itemSet.js'
import { itemOf } from './batchBuilder.js'
import { maySend } from '../peers/peer.js'
import { keysOf } from '../share/changeKeys.js'
import type { Replica } from './replica.js'

export interface Sorted {
  /** Entries of items that the peer has. */
  feed: readonly FeedEntry[]
  /** Items that are shared and were not before. */
  whole: ItemRef[]
  withdrawn: WithdrawalEntry[]
  /** Whether a stream came, moved or went: others, and events, may have come into what is shared with it, or left it. */
  rescan: boolean
  /** True when a stream was moved: items below it may have changed while it was outside. */
  moved: boolean
}

export interface ShareKeeper {
  sort(entries: readonly FeedEntry[]): Sorted
  /** Notes what is about to be given. */
  noteEntries(entries: readonly Entry[]): Promise<void>
  /** Withdrawals of all that is not within the share any more. */
  strayed(): Promise<WithdrawalEntry[]>
  /** Streams within the share that the peer was never given, parents before children. */
  newStreams(): Promise<readonly ItemRef[]>
  /**
   * Of items that came into the share, those that are no streams, with the series of events, after all streams that the
   * peer was never given by then.
   */
  withStreams(items: readonly ItemRef[]): AsyncIterable<readonly Wanted[]>
  /** Returns the items that streams brought into the share since the last call, unless the peer has them in full; streams first. */
  arrived(): AsyncIterable<readonly Wanted[]>
  /** Items within the share that the peer was never given; streams first. */
  missing(): AsyncIterable<readonly Wanted[]>
  /** All items within the share; streams first. */
  all(): AsyncIterable<readonly Wanted[]>
  /** Forgets what the peer has given up; answers what of it lies within the share again by then, and is to be given anew. */
  forget(items: readonly ItemRef[]): Promise<readonly ItemRef[]>
  /**
   * Forgets what lies outside of the share here, unless this side decides what is shared: what was made in a stream that
   * the other side had deleted is nobody's but this side's. Only once the other side has given all that it has. Answers
   * what the other side is to be told of first, since it may count that to the share still: an item that it deleted, and
   * that was made again here. A side that gives nothing tells nothing.
   */
  letGo(): Promise<WithdrawalEntry[]>
}

export function createShareKeeper({ share, scope }: Pick<Replica, 'share' | 'scope'>): ShareKeeper {
  const decides = scope.is === 'share' && scope.grantor === 'us'

  const withdrawal = ({ kind, id }: ItemRef): WithdrawalEntry[] =>
    kind === 'event' || kind === 'stream' ? [{ kind, id, withdrawn: true }] : []

  async function* each(chosen: (item: ItemRef) => boolean): AsyncGenerator<readonly Wanted[]> {
    if (share === undefined) return
    for (const isTurn of [isStream, isNoStream]) {
      for await (const page of share.all()) {
        yield page.filter((item) => isTurn(item) && chosen(item)).map((item) => ({ item }))
      }
    }
  }

  /** Checks that the peer lacks an item, or has a share document of it with fewer streams than the item now has. */
  const isDue = async (item: ItemRef): Promise<boolean> =>
    share?.isNoted(item) === false || (share?.isApart(item) === true && (await share.answered(item)).length > 0)

  const newStreams = async (): Promise<readonly ItemRef[]> => (await share?.newStreams()) ?? []

  async function* withStreams(items: readonly ItemRef[]): AsyncGenerator<readonly Wanted[]> {
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
    strayed: async () => (decides ? ((await share?.strayed()) ?? []).flatMap(withdrawal) : []),
    newStreams,
    withStreams,
    async *arrived() {
      yield (await newStreams()).map((item) => ({ item }))
      for await (const page of share?.arrived() ?? []) {
        const given: Wanted[] = []
        for (const item of page) if (isNoStream(item) && (await isDue(item))) given.push({ item })
        yield given
      }
    },
    missing: () => each((item) => share?.isNoted(item) === false),
    all: () => each(() => true),
    async forget(items) {
      await share?.forget(items)
      return items.filter((item) => share?.includes(item))
    },
    async letGo() {
      const outside = decides ? [] : ((await share?.strayed()) ?? [])
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

/** An event with the series that it may hold: its points do not come into what is shared by entries of their own. */
const withSeries = (item: ItemRef): ItemRef[] => (item.kind === 'event' ? [item, { kind: 'series', id: item.id }] : [item])

function once<T extends ItemRef>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.kind + item.id, item])).values()]
}
