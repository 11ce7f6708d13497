/**
 * What the store needs from above and may not import: the recorder of CRDT changes, implemented by `sync`.
 */
import type { Event, EventVersion } from '../model/event.js'
import type { Profile } from '../model/profile.js'
import type { Register } from '../model/profileRegisters.js'
import type { Stream } from '../model/stream.js'

/** Item whose every edit is a CRDT change. Profile sets are such items in stores of format 1 only (formerProfiles.ts). */
export type Item =
  | { kind: 'event'; item: Event }
  | { kind: 'stream'; item: Stream }
  | { kind: 'profile'; item: Profile }

/** Kinds of items stored as CRDT documents. */
export type DocumentKind = 'event' | 'stream'

/** The changes an item already has, as far as recording the next one needs them. */
export interface PriorChanges {
  /** Bookkeeping after the latest change, as `ChangeRecorder` returned it; absent while the item has one change only. */
  docState?: Uint8Array
  /** Reads the item's only change, when `book` is absent. */
  initialChange(): Uint8Array
  /**
   * How many first changes of the item lie in its grave: a process counts its changes anew in each life of an id, and
   * where copies have not heard of a deletion yet, changes of two lives must not have the same number.
   */
  generation?: number
}

/** Encodes local edits as changes of the item's CRDT document. Writes nothing itself. */
export interface ChangeRecorder {
  /** The first change of a new item: sets every field, depends on nothing. `life` as in `Prior`. */
  created(next: Item, life?: number): Uint8Array
  /** The same for an item that any node may make, and all alike: the same bytes everywhere. */
  createdByAll(next: Item, life?: number): Uint8Array
  /**
   * The change that turns `before` into `after`, and the bookkeeping to keep for the one after it. `settles` when it
   * decides the last of the keys where concurrent edits met. `isStamp`: the state before it is no earlier version of an event.
   */
  edited(before: Item, after: Item, prior: PriorChanges, isStamp?: boolean): { change: Uint8Array; docState: Uint8Array; settles: boolean }
  /** The streams that the changes of an event say it is in, in their order. */
  streamsOf(prior: PriorChanges): string[]
  /**
   * Derives the earlier versions of an event from all of its changes, oldest first: the latest `count`, and of those the
   * latest of about `size` characters together.
   * @throws Failure `corrupted-data` when a change is damaged
   */
  versionsOf(id: string, changes: readonly Uint8Array[], bounds: { count: number; size: number }): EventVersion[]
  /**
   * The hash of a change that builds on no other, in hexadecimal digits; undefined for all others.
   * @throws Failure `corrupted-data` when it is not one sound change
   */
  rootOf(change: Uint8Array): string | undefined
  /**
   * Derives the registers of a profile set from its changes in a store of format 1.
   * @throws Failure `corrupted-data` when a change is unreadable
   */
  registersOf(id: string, changes: readonly Uint8Array[]): Register[]
}
