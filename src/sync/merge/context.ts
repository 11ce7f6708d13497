/** Merging of entries received from other nodes: the interface `Merger`, and the dependencies and context of a merge. */
import type { Account, Transaction } from '../../store/engine/account.js'
import type { DeletionMode } from '../../store/events/events.js'
import type { Store } from '../../store/index.js'
import type { IntegrityAlgorithm } from '../../store/model/integrity.js'
import type { Scope } from '../../store/replication/peers.js'
import type { Objection, RefusalReason, TypeRules } from '../crdt/validate.js'
import type { AccessEntry, Entry, Outcome, SeriesEntry } from '../wire/entry.js'

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

/** Settings for storing merged events. */
interface RetentionRules {
  /** Algorithm of event integrity; absent when it is off. */
  integrity?: IntegrityAlgorithm
  /** Parts of deleted events that are kept. */
  deletionMode: DeletionMode
}

export interface MergerOptions {
  store: Pick<Store, 'recorder' | 'seal' | 'blobs'>
  types: TypeRules
  keeping(): RetentionRules
  /** Seconds. */
  now(): number
  /** Records the bytes of a file as missing, unless they exist locally. */
  noteMissingFile(t: Transaction, digest: string, size: number): void
  mergeAccess(t: Transaction, entry: AccessEntry, from: MergeSource): Outcome
  mergeSeries(t: Transaction, entry: SeriesEntry, from: MergeSource): Outcome
}

/** Context of one transaction of a merge. */
export interface MergeStep {
  account: Account
  t: Transaction
  from: MergeSource
  options: MergerOptions
  /** Seconds. */
  now: number
}

export const applied: Outcome = { is: 'applied' }
export const known: Outcome = { is: 'known' }
export const refusal = (objection: Objection): Outcome => ({ is: 'refused', ...objection })
export const refused = (reason: RefusalReason, message: string): Outcome => refusal({ reason, message })
