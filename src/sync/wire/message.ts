/** What two nodes say to each other in a session, whatever its bytes (codec.ts). */
import type { DigestElement } from '../../store/model/digestElement.js'
import type { Scope } from '../peers/peer.js'
import type { Digest, Position } from './itemSet.js'
import type { Entry, ItemRef } from '../items/entry.js'
import type { EndReason } from './protocolError.js'
import type { AsideItem } from './limits.js'

/** The first message of each side. */
export interface Hello {
  type: 'hello'
  /** Name and version of the program, for the log of the other side. */
  product: string
  /** Random id of the process, which distinguishes a live copy of a node from a restart. */
  instance: string
  /** The clock, in seconds. */
  now: number
  /** What is exchanged, as this side understands it. */
  scope: Scope
  /** Where this side's feed ends, and the state of its items there. */
  mine: Position
  digest: Digest
  /** How far this side has taken in the other's feed; absent: not at all. */
  yours?: Position
  /** Number of items still to request from the other side, and of missing files. */
  pendingFetch: number
}

/**
 * How a side gives what it has: its feed from where the other side is; all items that are shared, one by one; or, after
 * both have found out in what they differ, those. It follows the hello unless the digests in both hellos are equal.
 */
export interface Begin {
  type: 'begin'
  how: 'feed' | 'items' | 'reconcile'
  /** The other side has all that is before this place of the feed, and notes it. */
  skip?: Position
}

/**
 * What the sender has of an item: its state, or, of a series, up to when it has the points of each process. A side of a
 * share that gives nothing only shows with it that it has the item: should that have left the share, the side that
 * decides takes it back.
 */
export interface Offer {
  item: ItemRef
  state?: DigestElement
  reaches?: ReadonlyMap<string, number>
  /** From a side that gives nothing: hashes of the item's first changes, which show that it has a copy. */
  roots?: readonly string[]
}

/** Items, and how far the feed was given with them. Acknowledged once all of it is on disk. */
export interface Group {
  type: 'group'
  /** The place in the feed behind this group; absent when it holds none of the feed. */
  position?: Position
  entries: readonly Entry[]
  offers: readonly Offer[]
  /** Items that were asked for and are not here. */
  lacking: readonly ItemRef[]
  /** Items that cannot be fully sent, with the limits they exceed. */
  aside: readonly AsideItem[]
  /** The earliest request that was not answered yet is, with this group. */
  answers: boolean
  /** All items are given that were found to differ. */
  reconciled: boolean
  /** About how many entries and items are still to come. */
  left: number
}

/** How many groups of this session were taken in, and how many entries of them were refused. */
export interface Acknowledgement {
  type: 'acknowledgement'
  groups: number
  refused: number
  /** Items refused since the previous acknowledgement for a reason due to the item. */
  refusals: readonly AsideItem[]
}

/** An item that is asked for, whole; of a series, what is behind the reaches that are here. */
export interface Wanted {
  item: ItemRef
  reaches?: ReadonlyMap<string, number>
}

export interface Request {
  type: 'request'
  items: readonly Wanted[]
}

/** A step of reconciliation (state/reconcile.ts). */
export interface Reconcile {
  type: 'reconcile'
  body: Uint8Array
}

/** The state of the sender, at a moment when it had nothing more to give. */
export interface StateMessage {
  type: 'state'
  /** Where its feed was read to. */
  position: Position
  digest: Digest
  /** How many groups it had taken in. */
  groups: number
  /** Number of missing files not yet requested from the receiver in vain. */
  pending: number
  /** Number of missing files that the receiver lacks. */
  missing: number
  /** Which question this answers; 0 for none. */
  answers: number
  /**
   * Of a share that goes one way, from the side that begins comparisons: the other side's state, which differs from
   * `digest` by no more than what the direction keeps from being given. With it, the other is in sync too.
   */
  accepts?: Digest
}

/** Asks for the state; `deep`: made again from the items themselves. */
export interface Ask {
  type: 'ask'
  /** Counts up from 1. */
  question: number
  deep: boolean
}

export interface FileRequest {
  type: 'file-request'
  /** SHA-256, hexadecimal. */
  digest: string
  offset: number
  length: number
}

/** What was asked for of a file; shorter at its end. Requests are answered in their order. */
export interface FilePart {
  type: 'file-part'
  digest: string
  offset: number
  bytes: Uint8Array
}

export interface FileLack {
  type: 'file-lack'
  digest: string
  /** The sender waits for the file itself. */
  expected: boolean
}

export interface End {
  type: 'end'
  reason: EndReason
  message: string
}

/** Reports that another live process has the receiver's identity. */
export interface Copied {
  type: 'copied'
}

/** A stretch of a message that is too long for one frame. */
export interface Part {
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

/** The version of the protocol. Nodes of different versions do not understand each other. */
export const PROTOCOL = 4
