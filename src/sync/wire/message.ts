/**
 * Messages of a session between two nodes. `Message` is the union of all, `PROTOCOL` the version; codec.ts and groupCodec.ts
 * encode them. A `Group` carries entries about items (`Entry`, entry.ts) with the feed position after them.
 *
 * limits.ts bounds entries and groups, protocolError.ts names the reasons for which a session ends, and itemSet.ts is the
 * interface of the digests that are compared.
 */
import type { DigestElement } from '../../store/model/digestElement.js'
import type { Scope } from '../../store/replication/peers.js'
import type { Digest, Position } from './itemSet.js'
import type { Entry, ItemRef } from './entry.js'
import type { EndReason } from './protocolError.js'
import type { AsideItem } from './limits.js'

/** First message of each side. */
export interface Hello {
  type: 'hello'
  /** Name and version of the program, for the peer's log. */
  product: string
  /** Random id of the process, which distinguishes a live copy of a node from a restart. */
  instance: string
  /** Time of the sender's clock, in seconds. */
  now: number
  /** Scope of the exchange as the sender sees it. */
  scope: Scope
  /** End of the sender's feed, and the digest of its items there. */
  mine: Position
  digest: Digest
  /** Position up to which the sender has received the peer's feed; absent without one. */
  yours?: Position
  /** Number of items still to request from the peer, and of missing files. */
  pendingFetch: number
}

/**
 * Method by which a side sends its items: its feed after the peer's position; all shared items; or a reconciliation and the
 * differing items. Follows the hello unless both digests are equal.
 */
export interface Begin {
  type: 'begin'
  how: 'feed' | 'items' | 'reconcile'
  /** Position before which the receiver has everything; it records this. */
  skip?: Position
}

/**
 * State of an item at the sender: its digest element, or the version vector of a series. A receive-only side uses it to show
 * that it has the item, so that the grantor can withdraw an item that left the share.
 */
export interface Offer {
  item: ItemRef
  state?: DigestElement
  versionVector?: ReadonlyMap<string, number>
  /** Hashes of the item's first changes from a receive-only side, which prove that it has a copy. */
  roots?: readonly string[]
}

/** Entries of items, with the feed position that they complete. Acknowledged once all of it is on disk. */
export interface Group {
  type: 'group'
  /** Feed position after this group; absent when it contains no feed entries. */
  position?: Position
  entries: readonly Entry[]
  offers: readonly Offer[]
  /** Requested items that the sender does not have. */
  lacking: readonly ItemRef[]
  /** Items that cannot be fully sent, with the limits they exceed. */
  aside: readonly AsideItem[]
  /** True when this group completes the answer to the oldest unanswered request. */
  answers: boolean
  /** True when all differing items have been sent. */
  reconciled: boolean
  /** Approximate number of entries and items still to be sent. */
  left: number
}

/** Number of groups received in this session, and of their refused entries. */
export interface Acknowledgement {
  type: 'acknowledgement'
  groups: number
  refused: number
  /** Items refused since the previous acknowledgement for a reason due to the item. */
  refusals: readonly AsideItem[]
}

/** A requested item, complete; for a series, the points after the given version vector. */
export interface ItemRequest {
  item: ItemRef
  versionVector?: ReadonlyMap<string, number>
}

interface Request {
  type: 'request'
  items: readonly ItemRequest[]
}

/** A step of reconciliation (digest/reconcile.ts). */
interface Reconcile {
  type: 'reconcile'
  body: Uint8Array
}

/** Digest of the sender while it is idle. */
export interface StateMessage {
  type: 'state'
  /** Position up to which the sender's feed was read. */
  position: Position
  digest: Digest
  /** Number of groups received. */
  groups: number
  /** Number of missing files that may still arrive from the receiver. */
  pending: number
  /** Number of missing files that the receiver lacks. */
  missing: number
  /** Number of the question that this answers; 0 for none. */
  answers: number
  /**
   * From the leader of a one-way share: digest of the peer that differs from `digest` only by changes that the direction
   * excludes. The peer then is in sync too.
   */
  accepts?: Digest
}

/** Requests the digest; with `deep`, recomputed from the items. */
interface Ask {
  type: 'ask'
  /** Number of the question, from 1. */
  question: number
  deep: boolean
}

export interface FileRequest {
  type: 'file-request'
  /** SHA-256 of the file, hexadecimal. */
  digest: string
  offset: number
  length: number
}

/** Requested bytes of a file; fewer at its end. Requests are answered in order. */
export interface FilePart {
  type: 'file-part'
  digest: string
  offset: number
  bytes: Uint8Array
}

export interface FileLack {
  type: 'file-lack'
  digest: string
  /** True when the sender waits for the file itself. */
  expected: boolean
}

export interface End {
  type: 'end'
  reason: EndReason
  message: string
}

/** Reports that another live process has the receiver's identity. */
interface Copied {
  type: 'copied'
}

/** Fragment of a message that is too long for one frame. */
interface Part {
  type: 'part'
  isLast: boolean
  bytes: Uint8Array
}

export type Message =
  | Hello
  | Begin
  | Group
  | Acknowledgement
  | Request
  | Reconcile
  | StateMessage
  | Ask
  | FileRequest
  | FilePart
  | FileLack
  | End
  | Copied
  | Part

/** Protocol version. Nodes of different versions are incompatible. */
export const PROTOCOL = 4
