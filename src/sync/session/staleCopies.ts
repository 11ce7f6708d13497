/**
 * Copies that a peer still has of what left the share: it was restored to a time before it took that in, and the feed does
 * not tell it again. Only what the peer shows to have is answered so, by a change that is here too: another item may have
 * the same id, and the peer should not learn that there is one.
 */
import type { ChangesEntry, Entry, ItemRef, Outcome, WithdrawalEntry } from '../items/entry.js'
import type { Offer } from '../wire/message.js'
import { maySend, type Scope } from '../peers/peer.js'
import type { Replica } from './replica.js'

type Reads = Pick<Replica, 'scope' | 'share' | 'read'>

/** Whether this side takes back what leaves the share. */
const withdraws = (scope: Scope): boolean => scope.is === 'share' && scope.grantor === 'us' && maySend(scope)

/** Withdrawals of what the peer gave and was refused because it is here and not shared any more. */
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

/** Withdrawals of what a peer that gives nothing shows that it has, and what is not shared any more. */
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

/** Whether an item is not shared any more, with a peer that has what began with some first changes. */
async function hasLeft({ share, read }: Reads, item: ItemRef, roots: readonly string[]): Promise<boolean> {
  // What is still noted is taken back, or told to be deleted, whatever the peer shows.
  if (share === undefined || share.includes(item) || share.isNoted(item)) return false
  const here = share.roots(item)
  if (roots.some((root) => here.includes(root))) return true
  // Of an event that was deleted nothing is left to compare with, and nobody makes another one of its id.
  return item.kind === 'event' && (await read(item)).some((entry) => 'deleted' in entry)
}

function isCopy({ share }: Reads, { kind, id, changes }: ChangesEntry): boolean {
  return share?.excludes({ kind, id }) === true && changes.some((came) => share.isOurs({ kind, id }, came))
}
