/** Interface to the digest of a set of items, for comparing it with that of another node without reading the items. */
import type { DigestElement } from '../../store/model/digestElement.js'
import type { JournalEntry } from '../../store/engine/journal.js'
import type { ItemRef } from './entry.js'

/** Position in the feed of an account. Sequences of different epochs cannot be compared. */
export interface Position {
  /** Id of the process that wrote the entry at `sequence`; see `accountKeys.epoch`. */
  epoch: string
  sequence: number
}

/** Digest of a set of items. */
export interface Digest {
  state: DigestElement
}

/** A replicated journal entry. */
export type FeedEntry = Pick<JournalEntry, 'sequence' | 'kind' | 'action' | 'id' | 'origin' | 'about'> & {
  change: Uint8Array
}

/** Set of items that two nodes compare: an account, or the part shared with a peer. */
export interface ItemSet {
  /** Returns the digest of all items and the journal sequence that it includes. */
  digest(): Promise<Digest & { sequence: number }>
  /**
   * Returns the digests of the 16 parts of a part. Items are spread by `itemHash`; `prefix` holds its first hexadecimal
   * digits, at most 3.
   */
  parts(prefix: string): Promise<DigestElement[]>
  /** Returns the items whose hash begins with these 4 hexadecimal digits, with their states. */
  items(prefix: string): Promise<{ item: ItemRef; state: DigestElement }[]>
}
