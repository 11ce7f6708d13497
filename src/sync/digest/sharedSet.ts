/**
 * Set of the items shared with a peer. Both nodes record the shared items, and compare the sets of recorded ones. Their
 * states are read once and then follow the account's feed.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Account, Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { isZeroDigest, ELEMENT_LENGTH, type DigestElement } from '../../store/model/digestElement.js'
import { RECOVERED } from '../../store/model/recovered.js'
import type { Store } from '../../store/index.js'
import { itemKey, parseItemKey, type ItemRef } from '../wire/entry.js'
import type { Peer } from '../../store/replication/peers.js'
import { scopeMembers } from '../merge/share/projection.js'
import type { AccountState } from './accountState.js'
import { stateAtPeer, type DigestSource } from './readItem.js'
import type { Digest, ItemSet } from '../wire/itemSet.js'
import { bucketOf, bucketsUnder, BucketDigests } from './buckets.js'

export interface SharedSet extends ItemSet {
  /** Checks by the scope and the stored data whether an item is shared; false for missing items. */
  includes(item: ItemRef): boolean
  /** Checks whether an item exists outside the scope. */
  excludes(item: ItemRef): boolean
  /** Checks whether an item is recorded as shared. */
  isNoted(item: ItemRef): boolean
  note(t: Transaction, item: ItemRef): void
  /** Notifies the set that a transaction changes the peer's copy of an item. */
  touch(t: Transaction, item: ItemRef): void
  forget(t: Transaction, item: ItemRef): void
  /**
   * Returns recorded items outside the scope, for the grantor to withdraw. The first call, and calls after a stream left the
   * scope, examine all items; others examine only those that may have left since. Returns an item again as long as it stays
   * recorded.
   */
  outsideScope(): Promise<ItemRef[]>
  /** Returns the streams within the scope that are not recorded, parents first. */
  newStreams(): Promise<readonly ItemRef[]>
  /**
   * Yields the streams that came into the scope since the last call, or since the set was opened, with their contents. The
   * journal has no entries for items that come with a stream.
   */
  enteredScope(): AsyncIterable<ItemRef[]>
  /** Yields all items within the scope, for a first contact: streams, parents first, then events in order of time. */
  all(): AsyncIterable<ItemRef[]>
  /** Stops following the account. */
  close(): void
}

/** Number of items examined in one turn of the event loop. */
const ITEMS_A_TURN = 500

function grouped(names: Iterable<string>): Map<number, string[]> {
  const groups = new Map<number, string[]>()
  for (const name of names) {
    const bucket = bucketOf(name)
    const group = groups.get(bucket)
    if (group === undefined) groups.set(bucket, [name])
    else group.push(name)
  }
  return groups
}

/** Runs a function on names, yielding to the event loop. */
async function forEachName(names: Iterable<string>, run: (name: string) => void): Promise<void> {
  let count = 0
  for (const name of names) {
    run(name)
    if (++count % ITEMS_A_TURN === 0) await yieldTurn()
  }
}

/** Opens the set of items shared with a peer whose scope is a share. The caller closes it. */
export async function openSharedSet(
  store: Store,
  account: Account,
  state: AccountState,
  peer: Peer,
): Promise<SharedSet> {
  const { prefix } = account
  const stored: DigestSource = { db: store.db, seal: store.seal, account: prefix }
  const scope = scopeMembers(account, peer.scope)
  const sums = new BucketDigests()
  /** Recorded items, with their states included in the digests. */
  const noted = new Map<string, DigestElement>()
  /** Recorded names by bucket; undefined until the next read. */
  let byBucket: Map<number, string[]> | undefined
  /** Items whose state must be read again. */
  const stale = new Set<string>()
  /** Items that may have left the scope. */
  const moved = new Set<string>()
  /** Streams within the scope at the last call of `strayed`. */
  let before: ReadonlySet<string> | undefined
  /** Streams within the scope at the last call of `arrived`. */
  let known = scope.streams()
  /** Streams within the scope when all of them were recorded. */
  let allNoted: ReadonlySet<string> | undefined
  let refreshing: Promise<void> = Promise.resolve()

  const key = (item: ItemRef): string => accountKeys.shared(prefix, peer.number, itemKey(item))
  const none = new Uint8Array(ELEMENT_LENGTH)

  function replace(name: string, next: DigestElement): void {
    const former = noted.get(name) ?? none
    sums.toggle(bucketOf(name), former)
    sums.toggle(bucketOf(name), next)
  }

  function refresh(name: string): void {
    const item = parseItemKey(name)
    if (item === undefined || !noted.has(name)) return
    const next = stateAtPeer(stored, peer.number, item)
    replace(name, next)
    noted.set(name, next)
  }

  /** Resolves when all states equal those in the store. */
  function refreshed(): Promise<void> {
    refreshing = refreshing.then(async () => {
      while (stale.size > 0) {
        const names = [...stale]
        stale.clear()
        await forEachName(names, refresh)
      }
    })
    return refreshing
  }

  const unfollow = state.follow((entries) => {
    for (const { kind, id } of entries) {
      const name = itemKey({ kind, id })
      if (!noted.has(name)) continue
      stale.add(name)
      moved.add(name)
      // A series moves together with its event.
      if (kind === 'event' && noted.has(`m${id}`)) moved.add(`m${id}`)
    }
  })
  const shared = accountKeys.sharedWith(prefix, peer.number)
  for await (const noteKey of each(account.db.keys(under(shared)))) {
    const name = noteKey.slice(shared.length)
    noted.set(name, none)
    stale.add(name)
  }

  /** Checks whether streams, or events in the stream `recovered`, may have left the scope since the last call. */
  function hasShrunk(): boolean {
    const now = scope.streams()
    const former = before
    before = now
    if (former === undefined) return true
    if (former === now) return false
    if (now.has(RECOVERED)) return true
    for (const stream of former) if (!now.has(stream)) return true
    return false
  }

  async function strayed(): Promise<ItemRef[]> {
    await account.settledStructure()
    const names = hasShrunk() ? [...noted.keys()] : [...moved]
    moved.clear()
    const found: ItemRef[] = []
    await forEachName(names, (name) => {
      const item = parseItemKey(name)
      if (item === undefined || !noted.has(name) || !scope.excludes(item)) return
      found.push(item)
      moved.add(name)
    })
    return found
  }

  async function* arrived(): AsyncGenerator<ItemRef[]> {
    await account.settledStructure()
    const now = scope.streams()
    const former = known
    known = now
    // Deleting any stream can move events to the stream `recovered`.
    if (former !== now) yield* scope.itemsUnder([...now].filter((id) => id === RECOVERED || !former.has(id)))
  }

  async function newStreams(): Promise<readonly ItemRef[]> {
    await account.settledStructure()
    const streams = scope.streams()
    if (streams === allNoted) return []
    const fresh = [...streams].map((id): ItemRef => ({ kind: 'stream', id })).filter((item) => !noted.has(itemKey(item)))
    if (fresh.length === 0) allNoted = streams
    return fresh
  }

  /** Handles a change of the peer's copy without a journal entry; reads it after the commit. */
  const touch = (t: Transaction, item: ItemRef): void => t.onSettled(() => void stale.add(itemKey(item)))

  return {
    async digest(): Promise<Digest & { sequence: number }> {
      for (;;) {
        await refreshed()
        const { sequence } = await state.position()
        if (stale.size === 0) return { state: sums.total(), sequence }
      }
    },
    async parts(part) {
      await refreshed()
      return sums.parts(part)
    },
    async items(part) {
      await refreshed()
      byBucket ??= grouped(noted.keys())
      const names = byBucket.get(bucketsUnder(part).first) ?? []
      return names.flatMap((name) => {
        const own = noted.get(name) ?? none
        const item = parseItemKey(name)
        return item === undefined || isZeroDigest(own) ? [] : [{ item, state: own }]
      })
    },
    includes: (item) => scope.includes(item),
    excludes: (item) => scope.excludes(item),
    isNoted: (item) => noted.has(itemKey(item)),
    note(t, item) {
      t.put(key(item), '')
      const name = itemKey(item)
      t.onStaged(() => {
        byBucket = undefined
        if (!noted.has(name)) noted.set(name, none)
        stale.add(name)
        moved.add(name)
      })
    },
    touch,
    forget(t, item) {
      // A series goes with its event, and only the event is withdrawn.
      const items: ItemRef[] = item.kind === 'event' ? [item, { kind: 'series', id: item.id }] : [item]
      for (const one of items) t.delete(key(one))
      t.onStaged(() => {
        for (const name of items.map(itemKey)) {
          if (!noted.has(name)) continue
          byBucket = undefined
          replace(name, none)
          noted.delete(name)
          allNoted = undefined
        }
      })
    },
    outsideScope: strayed,
    newStreams,
    enteredScope: arrived,
    all: () => scope.all(),
    close: unfollow,
  }
}
