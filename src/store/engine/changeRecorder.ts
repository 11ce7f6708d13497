/** Port of the store to the recorder of CRDT changes, implemented by `sync`. */
import type { Event, EventVersion } from '../model/event.js'
import type { Profile } from '../model/profile.js'
import type { Register } from '../model/profileRegisters.js'
import type { Stream } from '../model/stream.js'

/** An item whose every edit is a CRDT change. Profile sets are such items in stores of format 1 only (formerProfiles.ts). */
export type Item =
  | { kind: 'event'; item: Event }
  | { kind: 'stream'; item: Stream }
  | { kind: 'profile'; item: Profile }

/** Kinds of items stored as CRDT documents. */
export type DocumentKind = 'event' | 'stream'

/** The earlier changes of an item, as recording its next change needs them. */
export interface PriorChanges {
  /** Document state after the latest change, as `ChangeRecorder` returned it. Absent while the item has one change only. */
  docState?: Uint8Array
  /** Reads the item's only change, when `docState` is absent. */
  initialChange(): Uint8Array
  /**
   * Number of the item's initial changes that its tombstone covers. A process restarts its count of changes in each
   * generation of an id. The number keeps changes of two generations apart on replicas that lack the deletion.
   */
  generation?: number
}

/** Encodes local edits as changes of the item's CRDT document. Writes nothing itself. */
export interface ChangeRecorder {
  /** Encodes the initial change of a new item: sets every field, depends on nothing. `generation` as in `PriorChanges`. */
  created(next: Item, generation?: number): Uint8Array
  /** Encodes the initial change of an item that any node may create, with the same bytes on every node. */
  createdByAll(next: Item, generation?: number): Uint8Array
  /**
   * Encodes the change from `before` to `after`, and the document state for the next change. `settles` is true when it
   * resolves the last conflicting key. `isStamp`: the state before it does not count as an earlier version of an event.
   */
  edited(before: Item, after: Item, prior: PriorChanges, isStamp?: boolean): { change: Uint8Array; docState: Uint8Array; settles: boolean }
  /** Returns the stream ids that the changes of an event declare, in order. */
  streamsOf(prior: PriorChanges): string[]
  /**
   * Derives the earlier versions of an event from all of its changes, oldest first. Limits them to the latest `count`,
   * and to about `size` characters together.
   * @throws Failure `corrupted-data` when a change is damaged
   */
  versionsOf(id: string, changes: readonly Uint8Array[], bounds: { count: number; size: number }): EventVersion[]
  /**
   * Returns the hexadecimal hash of a change without dependencies; undefined for other changes.
   * @throws Failure `corrupted-data` when it is not one valid change
   */
  rootOf(change: Uint8Array): string | undefined
  /**
   * Derives the registers of a profile set from its changes in a store of format 1.
   * @throws Failure `corrupted-data` when a change is unreadable
   */
  registersOf(id: string, changes: readonly Uint8Array[]): Register[]
}
