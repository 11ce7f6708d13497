/**
 * Finds items that a peer still holds after they were withdrawn (after restoring an old backup) and withdraws them again.
 * The peer must show a change that also exists here: another item may have the same id, and the peer must not learn that it
 * exists.
 */
import type { ChangesEntry, Entry, ItemRef, Outcome, WithdrawalEntry } from '../items/entry.js'
import type { Offer } from '../wire/message.js'
import { maySend, type Scope } from '../peers/peer.js'
import type { Replica } from './replica.js'

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
  // An item recorded as shared is withdrawn or deleted anyway.
  if (share === undefined || share.includes(item) || share.isNoted(item)) return false
  const here = share.roots(item)
  if (roots.some((root) => here.includes(root))) return true
  // A deleted event has nothing left to compare; event ids are not reused.
  return item.kind === 'event' && (await read(item)).some((entry) => 'deleted' in entry)
}

function isCopy({ share }: Reads, { kind, id, changes }: ChangesEntry): boolean {
  return share?.excludes({ kind, id }) === true && changes.some((came) => share.isOurs({ kind, id }, came))
}
