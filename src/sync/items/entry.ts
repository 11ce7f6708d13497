/** What one node tells another about items, whatever the wire. */
import type { Access, AccessDeletion } from '../../store/model/access.js'
import type { Register } from '../../store/model/profileRegisters.js'
import type { DocumentKind } from '../../store/engine/changeRecorder.js'
import type { Secret } from '../../store/model/secret.js'

export type { DocumentKind }

export type ItemKind = DocumentKind | 'profile' | 'access' | 'series'

/** An item of an account. */
export interface ItemRef {
  kind: ItemKind
  id: string
}

/** Changes of a document, in an order in which each comes after those that it builds on. */
export interface ChangesEntry {
  kind: DocumentKind
  id: string
  changes: readonly Uint8Array[]
  /** SHA-256 of the bytes of the event's files, hexadecimal, by file id: those that the changes add, or more. */
  files?: ReadonlyMap<string, string>
}

/** The deletion of an event or a stream. */
export interface DeletionEntry {
  kind: 'event' | 'stream'
  id: string
  /** Seconds. */
  deleted: number
  /** Of streams: hashes of the first changes that the deletion covers. An id may come again with another first change. */
  roots?: readonly string[]
}

/** An access with its token, or the deletion of one. Only between mirrors, never personal accesses. */
export interface AccessEntry {
  kind: 'access'
  id: string
  access: Access | AccessDeletion
  token: Secret<string>
}

/** All registers of a profile set, or some; exchanged between mirrors only. */
export interface ProfileEntry {
  kind: 'profile'
  id: string
  /** Time of the last change, in seconds. */
  modified: number
  registers: readonly Register[]
}

/** All points of a series that one process wrote after one moment, up to another, as far as later ones left them. */
export interface SeriesEntry {
  kind: 'series'
  /** The holder event. */
  id: string
  actor: string
  /** Stamps in microseconds; `after` is 0 for all from the first on. */
  after: number
  upTo: number
  /** Encoded segments, all of whose points have stamps of that actor in (after, upTo]. */
  segments: readonly Uint8Array[]
}

/**
 * That an item is not shared any more. From the side that decides what is: the receiver forgets its copy, which is not a
 * deletion. From the other: the item lies outside of the share there, and the sender counts it to the share no longer;
 * nor does the receiver, unless it lies within for it.
 */
export interface WithdrawalEntry {
  kind: 'event' | 'stream'
  id: string
  withdrawn: true
}

export type Entry = ChangesEntry | DeletionEntry | AccessEntry | ProfileEntry | SeriesEntry | WithdrawalEntry

/** What became of an entry. */
export type Outcome =
  /** Taken in, at least in part. */
  | { is: 'applied' }
  /** Nothing that was not here already. */
  | { is: 'known' }
  /** It builds on what is not here: the whole item is needed. Nothing of it was taken in. */
  | { is: 'incomplete' }
  /** Not taken, and noted as refused under its name. */
  | { is: 'refused'; reason: RefusalReason; message: string }

export type RefusalReason =
  /** Bytes that are no change, or do not fit together. */
  | 'damaged'
  /** The item would not be one of the specification: an id, a type, a content, a length. */
  | 'invalid'
  /** It lies outside of what the peer may write. */
  | 'out-of-scope'
  /** Something unique is taken by another item: a token, an alias. */
  | 'taken'
  /** More than this node takes: of one item, of an account's quota. */
  | 'too-large'
