/** What a node knows of the state of an account, for comparing it with another node's without going through its items. */
import type { DigestElement } from '../../store/model/digestElement.js'
import type { JournalEntry } from '../../store/engine/journal.js'
import type { ItemRef } from '../items/entry.js'

/** A place in the feed of an account. Sequences of different epochs cannot be compared. */
export interface Position {
  /** Names the process that wrote the entry at `sequence`; see `accountKeys.epoch`. */
  epoch: string
  sequence: number
}

/** The state of a set of items. */
export interface Digest {
  state: DigestElement
}

/** An entry of the journal that concerns other nodes. */
export type FeedEntry = Pick<JournalEntry, 'sequence' | 'kind' | 'action' | 'id' | 'origin' | 'about'> & {
  change: Uint8Array
}

/** A set of items that two nodes compare: an account, or what of it is shared with a peer. */
export interface ItemSet {
  /** The state of all items at one moment, and the journal's sequence at that moment. */
  digest(): Promise<Digest & { sequence: number }>
  /**
   * The states of the 16 parts of a part: items are spread by `itemHash`, of which `prefix` holds the first hexadecimal
   * digits, at most 3 of them.
   */
  parts(prefix: string): Promise<DigestElement[]>
  /** The items whose hash begins with 4 hexadecimal digits, with their states. */
  items(prefix: string): Promise<{ item: ItemRef; state: DigestElement }[]>
}
