/** Taking in what came from another node: the seam between the exchange and the store. */
import type { Account, Transaction } from '../../store/engine/account.js'
import type { Entry, Outcome } from '../items/entry.js'
import type { Scope } from '../peers/peer.js'

/** Whom entries came from. */
export interface MergeSource {
  /** Number of the peer in the account: journal entries carry it as their origin. */
  peer: number
  /** What the peer may write. */
  scope: Scope
}

export interface Merger {
  /**
   * Takes in entries, each whole or not at all, in few transactions, and resolves once they are on disk. The last of
   * them runs `also`, which stages what must not be lost or kept without them (how far the feed was read). Entries that
   * are refused are noted (`accountKeys.refused`) in the same transactions; taking in an entry later forgets the refusal.
   * The outcomes are in the order of the entries.
   */
  merge(
    account: Account,
    entries: readonly Entry[],
    from: MergeSource,
    also?: (t: Transaction, outcomes: readonly Outcome[]) => void,
  ): Promise<Outcome[]>
}
