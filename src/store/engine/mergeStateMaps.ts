/** Merge state of an account in memory, which local changes depend on (mergeState.ts stores it). */
import type { EffectivePlace } from '../model/treeRepair.js'

export interface MergeState {
  /** Declared places of streams that are shown elsewhere: `accountKeys.declaredPlace`. */
  readonly declaredPlace: Map<string, EffectivePlace>
  /** Events by the missing streams that they declare: `accountKeys.unplacedEvent`. */
  readonly unplacedEvents: Map<string, Set<string>>
  /** Items with conflicting concurrent edits: `accountKeys.conflict`. */
  readonly conflicts: Set<string>
  /** Peers whose changes to an item were refused, by number, with the reasons: `accountKeys.refused`. */
  readonly refused: Map<string, Map<number, string>>
  /** Peers with which an item is not exchanged, by number: `accountKeys.aside`. */
  readonly aside: Map<string, Set<number>>
}

/** Creates the merge state of an account without other copies. */
export const emptyMergeState = (): MergeState => ({
  declaredPlace: new Map(),
  unplacedEvents: new Map(),
  conflicts: new Set(),
  refused: new Map(),
  aside: new Map(),
})
