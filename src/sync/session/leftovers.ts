/**
 * Copies that a peer still has of what left the share: it was restored to a time before it took that in, and the feed does
 * not tell it again. Only what the peer shows to have is answered so, by a change that is here too: another item may have
 * the same id, and the peer should not learn that there is one.
 */
import type { ChangesEntry, Entry, Outcome, WithdrawalEntry } from '../entry.js'
import { mayGive } from '../peers/peer.js'
import type { Holdings } from './holdings.js'

type Reads = Pick<Holdings, 'scope' | 'share' | 'read'>

/** Withdrawals of what the peer gave and was refused because it is here and not shared any more. */
export async function leftoversAmong(holdings: Reads, entries: readonly Entry[], outcomes: readonly Outcome[]): Promise<WithdrawalEntry[]> {
  const { scope } = holdings
  if (scope.is !== 'share' || scope.grantor !== 'us' || !mayGive(scope)) return []
  const left: WithdrawalEntry[] = []
  for (const [i, entry] of entries.entries()) {
    const outcome = outcomes[i]
    if (outcome?.is !== 'refused' || outcome.reason !== 'out-of-scope') continue
    if (!('changes' in entry) || entry.kind === 'profile' || !(await isCopy(holdings, entry))) continue
    left.push({ kind: entry.kind, id: entry.id, withdrawn: true })
  }
  return left
}

async function isCopy({ share, read }: Reads, { kind, id, changes }: ChangesEntry): Promise<boolean> {
  if (share?.excludes({ kind, id }) !== true) return false
  const here = (await read({ kind, id })).flatMap((entry) => ('changes' in entry ? entry.changes : []))
  return changes.some((came) => here.some((change) => Buffer.compare(came, change) === 0))
}
