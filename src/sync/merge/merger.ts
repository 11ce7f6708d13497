/** Interface between synchronisation and the store: merging entries received from other nodes. */
import type { Account, Transaction } from '../../store/engine/account.js'
import type { Entry, Outcome } from '../items/entry.js'
import type { Scope } from '../peers/peer.js'

/** The peer that entries came from. */
export interface MergeSource {
  /** Number of the peer in the account: journal entries carry it as their origin. */
  peer: number
  /** Scope that the peer may write. */
  scope: Scope
}

export interface Merger {
  /**
   * Merges entries, each completely or not at all, in few transactions; resolves once they are on disk. The last transaction
   * runs `also`, which stages data that must be committed together with them, such as the feed position. Refused entries are
   * recorded (`accountKeys.refused`) in the same transactions; applying an entry later removes its refusal. Outcomes are in
   * the order of the entries.
   */
  merge(
    account: Account,
    entries: readonly Entry[],
    from: MergeSource,
    also?: (t: Transaction, outcomes: readonly Outcome[]) => void,
  ): Promise<Outcome[]>
}
