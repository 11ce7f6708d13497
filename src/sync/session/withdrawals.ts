/**
 * Withdrawals: copies that a share peer must remove, since their items are no longer shared.
 *
 * - Withdrawn items stay recorded as shared until the peer confirms that it removed its copies. If the session ends before,
 *   they are withdrawn again (`createPendingWithdrawals`).
 * - A peer restored from an old backup may hold copies that were withdrawn before. Such a receive-only peer advertises the ids
 *   of differing items (`createAdvertiser`), and this side withdraws the stale ones again.
 */
import { maySend, type Scope } from '../../store/replication/peers.js'
import { itemKey, type ChangesEntry, type Entry, type ItemRef, type Outcome, type WithdrawalEntry } from '../wire/entry.js'
import type { Offer } from '../wire/message.js'
import { MAX_ENTRIES } from './batchBuilder.js'
import type { ItemReader } from './itemReader.js'
import type { Replica } from './replica.js'

interface PendingWithdrawals {
  /** Records the entries of a sent group. An item sent after its withdrawal is shared again and no longer pending. */
  sent(entries: readonly Entry[], group: number): void
  /** Handles an acknowledgement up to a group number; returns the items whose withdrawal is confirmed. */
  acknowledged(groups: number): ItemRef[]
}

export function createPendingWithdrawals(): PendingWithdrawals {
  /** Last group that withdrew each item, by item key, in group order. */
  const withdrawnIn = new Map<string, { item: ItemRef; group: number }>()
  return {
    sent(entries, group) {
      for (const entry of entries) {
        const { kind, id } = entry
        const name = itemKey(entry)
        withdrawnIn.delete(name)
        if ('withdrawn' in entry) withdrawnIn.set(name, { item: { kind, id }, group })
      }
    },
    acknowledged(groups) {
      const left: ItemRef[] = []
      for (const [name, { item, group }] of withdrawnIn) {
        if (group > groups) break
        withdrawnIn.delete(name)
        left.push(item)
      }
      return left
    },
  }
}

type Reads = Pick<Replica, 'scope' | 'share' | 'read'>

/** Checks whether this side withdraws items that leave the share. */
const withdraws = (scope: Scope): boolean => scope.is === 'share' && scope.grantor === 'us' && maySend(scope)

/** Returns withdrawals of refused items of the peer that exist here and are no longer shared. */
export function findStaleCopies(replica: Reads, entries: readonly Entry[], outcomes: readonly Outcome[]): WithdrawalEntry[] {
  if (!withdraws(replica.scope)) return []
  const left: WithdrawalEntry[] = []
  for (const [i, entry] of entries.entries()) {
    const outcome = outcomes[i]
    if (outcome?.is !== 'refused' || outcome.reason !== 'out-of-scope') continue
    if (!('changes' in entry) || !isCopy(replica, entry)) continue
    left.push({ kind: entry.kind, id: entry.id, withdrawn: true })
  }
  return left
}

/** Returns withdrawals of items that a receive-only peer advertises and that are no longer shared. */
export async function staleCopiesAdvertised(replica: Reads, offers: readonly Offer[]): Promise<WithdrawalEntry[]> {
  if (!withdraws(replica.scope)) return []
  const left: WithdrawalEntry[] = []
  for (const { item, roots = [] } of offers) {
    const { kind, id } = item
    if (kind !== 'event' && kind !== 'stream') continue
    if (roots.length > 0 && (await hasLeft(replica, item, roots))) left.push({ kind, id, withdrawn: true })
  }
  return left
}

/** Checks whether an item is no longer shared, given the first changes of the peer's copy. */
async function hasLeft({ share, read }: Reads, item: ItemRef, roots: readonly string[]): Promise<boolean> {
  // An item still recorded as shared is withdrawn or deleted by the feed.
  if (share === undefined || share.includes(item) || share.isNoted(item)) return false
  const here = share.roots(item)
  if (roots.some((root) => here.includes(root))) return true
  // A deleted event has nothing left to compare; event ids are not reused.
  return item.kind === 'event' && (await read(item)).some((entry) => 'deleted' in entry)
}

function isCopy({ share }: Reads, { kind, id, changes }: ChangesEntry): boolean {
  return share?.excludes({ kind, id }) === true && changes.some((came) => share.isOurs({ kind, id }, came))
}

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
