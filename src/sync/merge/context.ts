/** What merging works with. */
import type { Account, Transaction } from '../../store/engine/account.js'
import type { DeletionMode } from '../../store/events/events.js'
import type { IntegrityAlgorithm } from '../../store/model/integrity.js'
import type { Store } from '../../store/index.js'
import type { AccessEntry, Outcome, SeriesEntry } from '../items/entry.js'
import type { MergeSource } from './merger.js'
import type { Objection, TypeRules } from '../crdt/validate.js'

/** How a node keeps events. */
export interface RetentionRules {
  /** The algorithm of the integrity of events; absent when it is off. */
  integrity?: IntegrityAlgorithm
  /** What is kept of deleted events. */
  deletionMode: DeletionMode
}

export interface MergerOptions {
  store: Pick<Store, 'recorder' | 'seal' | 'blobs'>
  types: TypeRules
  keeping(): RetentionRules
  /** Seconds. */
  now(): number
  /** Notes that the bytes of a file are not here, unless they are. */
  noteMissingFile(t: Transaction, digest: string, size: number): void
  mergeAccess(t: Transaction, entry: AccessEntry, from: MergeSource): Outcome
  mergeSeries(t: Transaction, entry: SeriesEntry, from: MergeSource): Outcome
}

/** What one transaction of a merge works with. */
export interface Step {
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
