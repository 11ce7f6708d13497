/** What a session needs of an account, and of what is exchanged of it with one peer. */
import type { WantedChange, WantedFile } from '../../store/engine/wantedCount.js'
import type { DigestElement } from '../../store/model/digestElement.js'
import type { Entry, ItemRef, Outcome } from '../items/entry.js'
import type { AsideItem } from '../wire/limits.js'
import type { Scope } from '../peers/peer.js'
import type { FeedEntry, ItemSet, Position } from '../wire/itemSet.js'

/** Finds out in what two sets differ: state/reconcile.ts. */
export interface Reconciling {
  start(): Promise<Uint8Array>
  take(message: Uint8Array): Promise<{ replies: Uint8Array[]; differing: ItemRef[]; done: boolean }>
}

/** What is kept in the same commit as entries that were taken in. */
export interface Notes {
  /** How far the peer's feed was read. */
  position?: Position
  /** Items to ask the peer for. */
  pendingFetch?: readonly ItemRef[]
  /** What both have of a share, and this side does not count to it yet. */
  held?: readonly ItemRef[]
  /** Items that need not be asked for any more. */
  settled?: readonly ItemRef[]
  /** Items that the peer cannot send. */
  aside?: readonly AsideItem[]
  /** Whether items are asked for of which an entry turns out to be incomplete. */
  completing: boolean
}

export interface Replica {
  readonly scope: Scope
  /** Number of the peer in the account. */
  readonly peer: number
  /** What is compared: the account, or what of it is shared. */
  readonly set: ItemSet
  /** The feed; see AccountState. */
  readonly feed: {
    position(): Promise<Position>
    /** The position of an entry, or of the beginning. */
    placeOf(sequence: number): Promise<Position>
    knows(position: Position): boolean
    read(after: number, limit: number): Promise<{ entries: FeedEntry[]; upTo: number }>
    follow(listener: (entries: readonly FeedEntry[], upTo: number) => void): () => void
    behind(after: number): number
    /** The latest sequence that was given to an entry, on disk or not. */
    staged(): number
  }
  reconciler(): Reconciling
  /** Makes the state again from the items. */
  verify(): Promise<void>
  /**
   * All that is here of an item; of series, what is behind the given reaches; of profile sets, the registers stored by the
   * journal entry `since` or later ones.
   */
  read(item: ItemRef, reaches?: ReadonlyMap<string, number>, since?: number): Promise<Entry[]>
  reaches(event: string): Promise<Map<string, number>>
  /** Digests of the bytes of an event's files, by file id; undefined when it has none. */
  filesOf(event: string): ReadonlyMap<string, string> | undefined
  /** The state of an event. */
  stateOf(event: string): DigestElement
  /** The sequence of the latest entry of an event; undefined when the event is not here. */
  latestOf(event: string): number | undefined
  /** Streams that an event lies in of which there are entries behind a sequence. */
  streamsBehind(event: string, sequence: number): string[]
  /** From which peer an entry came; undefined for those that were written here. */
  originAt(sequence: number): number | undefined
  /** How far the peer's feed was taken in. */
  taken(): Promise<Position | undefined>
  /** Notes how far; may be lost in a crash. */
  note(position: Position): void
  /** The first items to ask the peer for, streams before others, at most `limit`. */
  pendingFetch(limit: number): Promise<ItemRef[]>
  /** Takes in entries with notes; resolves once all of it is on disk. */
  take(entries: readonly Entry[], notes: Notes): Promise<Outcome[]>
  readonly aside: Aside
  /** Absent for mirrors. */
  readonly share?: Sharing
  readonly files: Files
}

/** Items not exchanged with the peer because of a limit: both sides exclude them from the comparison. */
export interface Aside {
  has(item: ItemRef): boolean
  note(items: readonly AsideItem[]): Promise<void>
  forget(items: readonly ItemRef[]): Promise<void>
  /** Items last recorded at or before a time, in seconds. */
  list(before: number): Promise<ItemRef[]>
}

/** What is shared with the peer. */
export interface Sharing {
  includes(item: ItemRef): boolean
  /** Whether an item is here and not within the share. */
  excludes(item: ItemRef): boolean
  isNoted(item: ItemRef): boolean
  /** Hashes of an item's first changes, here and as sent to the peer; for streams also those of deleted ones. */
  roots(item: ItemRef): string[]
  /**
   * Returns the changes to send of a changed item; undefined to send its changes as they are. With `since`, changes after
   * that sequence are sent as their combined effect.
   */
  changed(item: ItemRef, changes: readonly Uint8Array[], since?: number): Promise<Entry[] | undefined>
  /** Returns the changes to send of an item after the peer's changes were merged. */
  answered(item: ItemRef): Promise<Entry[]>
  /** Checks that the peer has a share document of an item. */
  isApart(item: ItemRef): boolean
  /** Checks that a change of an item is here, or that this side made it for the peer. */
  isOurs(item: ItemRef, change: Uint8Array): boolean
  /** Notes items as shared; resolves once that is staged. */
  note(items: readonly ItemRef[]): Promise<void>
  forget(items: readonly ItemRef[]): Promise<void>
  strayed(): Promise<ItemRef[]>
  /** Streams within the share that are not noted, parents before children. */
  newStreams(): Promise<readonly ItemRef[]>
  /** Streams that came within the share since this was asked last, with what lies in them. */
  arrived(): AsyncIterable<ItemRef[]>
  all(): AsyncIterable<ItemRef[]>
}

/** The bytes of attached files. */
export interface Files {
  /** Missing files of the account, from any peer. */
  readonly wanted: { readonly count: number; readonly bytes: number }
  /** Calls `listener` for each file that becomes missing, or no longer is. */
  follow(listener: (change: WantedChange) => void): () => void
  /** Returns missing files after the digest `after`, examining at most `most`; `next` is the start of the next page. */
  wantedFrom(after: string, max: number): Promise<{ files: WantedFile[]; next?: string }>
  isWanted(digest: string): boolean
  /** Checks that the peer may be asked for a file: an exchanged item refers to it. */
  isForPeer(digest: string): Promise<boolean> | boolean
  /** Returns bytes of a file for the peer; undefined when they are missing or damaged. */
  read(digest: string, offset: number, length: number): Promise<Uint8Array | undefined>
  /** What is here of a file that is waited for; undefined while another session receives it. */
  begin(digest: string, size: number): Promise<PartialFile | undefined>
}

export interface PartialFile {
  /** How many bytes are here. */
  readonly offset: number
  write(bytes: Uint8Array): Promise<void>
  /**
   * Verifies the whole file and moves it to its final path; on disk when this resolves. False when its digest differs;
   * the received bytes are then removed.
   */
  finish(): Promise<boolean>
  /** Leaves what is here for another time. */
  leave(): Promise<void>
}
