/** Dependencies and context of a merge. */
import type { Account, Transaction } from '../../store/engine/account.js'
import type { DeletionMode } from '../../store/events/events.js'
import type { IntegrityAlgorithm } from '../../store/model/integrity.js'
import type { Store } from '../../store/index.js'
import type { AccessEntry, Outcome, SeriesEntry } from '../items/entry.js'
import type { MergeSource } from './merger.js'
import type { Objection, TypeRules } from '../crdt/validate.js'

/** Settings for storing merged events. */
export interface RetentionRules {
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
