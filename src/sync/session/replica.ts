/** Interface of a session to an account: its digest, its feed, its items, and the state recorded for one peer. */
import type { WantedChange, WantedFile } from '../../store/engine/wantedCount.js'
import type { DigestElement } from '../../store/model/digestElement.js'
import type { Entry, ItemRef, Outcome } from '../wire/entry.js'
import type { AsideItem } from '../wire/limits.js'
import type { Scope } from '../../store/replication/peers.js'
import type { FeedEntry, ItemSet, Position } from '../wire/itemSet.js'

/** Set reconciliation with the peer: digest/reconcile.ts. */
export interface Reconciling {
  start(): Promise<Uint8Array>
  receive(message: Uint8Array): Promise<{ replies: Uint8Array[]; differing: ItemRef[]; done: boolean }>
}

/** Records committed together with received entries. */
export interface Notes {
  /** Position up to which the peer's feed was read. */
  position?: Position
  /** Items to request from the peer. */
  pendingFetch?: readonly ItemRef[]
  /** Items that both sides have and this side has not recorded as shared yet. */
  equalItems?: readonly ItemRef[]
  /** Items that need not be requested any more. */
  settled?: readonly ItemRef[]
  /** Items that the peer cannot send. */
  aside?: readonly AsideItem[]
  /** True to request items with incomplete entries. */
  completing: boolean
}

export interface Replica {
  readonly scope: Scope
  /** Number of the peer within the account. */
  readonly peer: number
  /** The compared set: all items of the account, or those shared. */
  readonly set: ItemSet
  /** The feed; see AccountState. */
  readonly feed: {
    position(): Promise<Position>
    /** Returns the position of an entry, or of the start of the feed. */
    positionOf(sequence: number): Promise<Position>
    knows(position: Position): boolean
    read(after: number, limit: number): Promise<{ entries: FeedEntry[]; upTo: number }>
    follow(listener: (entries: readonly FeedEntry[], upTo: number) => void): () => void
    behind(after: number): number
    /** Returns the last assigned sequence, committed or not. */
    staged(): number
  }
  reconciler(): Reconciling
  /** Recomputes the digest from the items. */
  verify(): Promise<void>
  /**
   * Returns the entries of an item: of series, the points after the given version vector; of profile sets, the registers
   * stored by the journal entry `since` or later ones.
   */
  read(item: ItemRef, versionVector?: ReadonlyMap<string, number>, since?: number): Promise<Entry[]>
  versionVector(event: string): Promise<Map<string, number>>
  /** Returns the content digests of an event's files by file id; undefined without files. */
  filesOf(event: string): ReadonlyMap<string, string> | undefined
  /** Returns the digest element of an event. */
  stateOf(event: string): DigestElement
  /** Returns the sequence of the latest entry of an event; undefined for a missing event. */
  latestOf(event: string): number | undefined
  /** Returns the streams of an event with entries after a sequence. */
  streamsBehind(event: string, sequence: number): string[]
  /** Returns the number of the peer that an entry came from; undefined for local writes. */
  originAt(sequence: number): number | undefined
  /** Returns the position up to which the peer's feed was received. */
  receivedPosition(): Promise<Position | undefined>
  /** Records that position; a crash may lose it. */
  note(position: Position): void
  /** Returns at most `limit` items to request from the peer, streams first. */
  pendingFetch(limit: number): Promise<ItemRef[]>
  /** Merges entries together with these records; resolves once all of it is on disk. */
  merge(entries: readonly Entry[], notes: Notes): Promise<Outcome[]>
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

/** Items shared with the peer. */
export interface Sharing {
  includes(item: ItemRef): boolean
  /** Checks whether an item exists outside the share. */
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
  /** Records items as shared; resolves once that is staged. */
  note(items: readonly ItemRef[]): Promise<void>
  forget(items: readonly ItemRef[]): Promise<void>
  outsideScope(): Promise<ItemRef[]>
  /** Returns the streams within the share that are not recorded as shared, parents first. */
  newStreams(): Promise<readonly ItemRef[]>
  /** Yields streams that came into the share since the last call, with their contents. */
  enteredScope(): AsyncIterable<ItemRef[]>
  all(): AsyncIterable<ItemRef[]>
}

/** Access to the bytes of attached files. */
export interface Files {
  /** Missing files of the account, from any peer. */
  readonly wanted: { readonly count: number; readonly bytes: number }
  /** Calls `listener` for each file that becomes missing, or no longer is. */
  follow(listener: (change: WantedChange) => void): () => void
  /** Returns missing files after the digest `after`, examining at most `max`; `next` is the start of the next page. */
  wantedFrom(after: string, max: number): Promise<{ files: WantedFile[]; next?: string }>
  isWanted(digest: string): boolean
  /** Checks that the peer may be asked for a file: an exchanged item refers to it. */
  isForPeer(digest: string): Promise<boolean> | boolean
  /** Returns bytes of a file for the peer; undefined when they are missing or damaged. */
  read(digest: string, offset: number, length: number): Promise<Uint8Array | undefined>
  /** Opens the partial file of a missing file; undefined while another session receives it. */
  begin(digest: string, size: number): Promise<PartialFile | undefined>
}

export interface PartialFile {
  /** Number of bytes received. */
  readonly offset: number
  write(bytes: Uint8Array): Promise<void>
  /**
   * Verifies the whole file and moves it to its final path; on disk when this resolves. False when its digest differs;
   * the received bytes are then removed.
   */
  finish(): Promise<boolean>
  /** Closes the file and keeps its bytes for a later session. */
  suspend(): Promise<void>
}
