/**
 * Entries that nodes exchange about items, independent of their encoding, and the outcome of merging them. `Entry` is the
 * union of all kinds. Item keys name items in database keys and digest elements (store/model/digestElement.ts).
 */
import type { RefusalReason } from '../crdt/validate.js'
import type { DocumentKind } from '../../store/engine/changeRecorder.js'
import { kindLetter, type EntryKind } from '../../store/engine/journal.js'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import type { Register } from '../../store/model/profileRegisters.js'
import type { Secret } from '../../store/model/secret.js'

export type ItemKind = DocumentKind | 'profile' | 'access' | 'series'

/** Reference to an item of an account. */
export interface ItemRef {
  kind: ItemKind
  id: string
}

/** Changes of a document, in causal order. */
export interface ChangesEntry {
  kind: DocumentKind
  id: string
  changes: readonly Uint8Array[]
  /** SHA-256 of the event's files, hexadecimal, by file id: at least of those that the changes add. */
  files?: ReadonlyMap<string, string>
}

/** Deletion of an event or a stream. */
export interface DeletionEntry {
  kind: 'event' | 'stream'
  id: string
  /** Time of the deletion, in seconds. */
  deleted: number
  /** Hashes of the first changes that the deletion of a stream covers. The id may be reused with another first change. */
  roots?: readonly string[]
}

/** An access with its token, or the deletion of one. Exchanged between mirrors only; excludes personal accesses. */
export interface AccessEntry {
  kind: 'access'
  id: string
  access: Access | AccessDeletion
  token: Secret<string>
}

/** Registers of a profile set, all or some. Exchanged between mirrors only. */
export interface ProfileEntry {
  kind: 'profile'
  id: string
  /** Time of the last change, in seconds. */
  modified: number
  registers: readonly Register[]
}

/** Points of a series that one process wrote in a time range, without those that later writes replaced. */
export interface SeriesEntry {
  kind: 'series'
  /** Id of the event that holds the series. */
  id: string
  actor: string
  /** Timestamps in microseconds; `after` is 0 for all points from the first on. */
  after: number
  upTo: number
  /** Encoded segments, whose points all have timestamps of that actor in (after, upTo]. */
  segments: readonly Uint8Array[]
}

/**
 * Notice that an item is no longer shared. From the grantor: the receiver removes its copy, which is not a deletion. From
 * the other side: the item lies outside its share, and it no longer records the item as shared; the grantor does the same,
 * unless the item lies within its share.
 */
export interface WithdrawalEntry {
  kind: 'event' | 'stream'
  id: string
  withdrawn: true
}

export type Entry = ChangesEntry | DeletionEntry | AccessEntry | ProfileEntry | SeriesEntry | WithdrawalEntry

/** Result of merging an entry. */
export type Outcome =
  /** Merged, at least in part. */
  | { is: 'applied' }
  /** Contained nothing new. */
  | { is: 'known' }
  /** Depends on missing data: the whole item is needed. Nothing was merged. */
  | { is: 'incomplete' }
  /** Refused, and recorded as refused under its name. */
  | { is: 'refused'; reason: RefusalReason; message: string }

const KINDS: Record<string, ItemKind> = { e: 'event', s: 'stream', p: 'profile', a: 'access', m: 'series' }

/** Returns the key of an item. */
export const itemKey = ({ kind, id }: { kind: EntryKind; id: string }): string => kindLetter(kind) + id

/** Parses an item key; undefined for an unknown kind letter. */
export function parseItemKey(name: string): ItemRef | undefined {
  const kind = KINDS[name.charAt(0)]
  return kind === undefined ? undefined : { kind, id: name.slice(1) }
}
