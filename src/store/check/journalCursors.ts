/**
 * Reads journal entries in the order of commits. That is the order of the journal for each account, so its entries are read ahead,
 * by more each time, in place of one by one.
 */
import type { Database } from '../engine/database.js'
import { accountKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'

/** Accounts with entries read ahead, each with about a page of the database at most. */
const MAX_ACCOUNTS = 64
const GROWTH = 8
const MAX_SIZE = 500

interface Cursor {
  /** All entries from the sequence `from` up to `to`, by sequence. */
  from: number
  to: number
  entries: ReadonlyMap<number, Uint8Array>
  /** Number of entries read ahead. */
  size: number
}

interface JournalCursors {
  /** Reads ahead if the entry is not in memory; undefined when it is. */
  prepare(account: string, sequence: number): Promise<void> | undefined
  /** Returns the bytes of an entry after `prepare`; undefined if it does not exist. */
  read(account: string, sequence: number): Uint8Array | undefined
}

export function createJournalCursors(db: Database): JournalCursors {
  const cursors = new Map<string, Cursor>()

  async function load(account: string, sequence: number, size: number): Promise<void> {
    const source = db.byteEntries({ ...under(accountKeys.journals(account)), gte: accountKeys.journal(account, sequence) }, { limit: size })
    const page = await source.next(size)
    await source.close()
    const entries = page.map(([key, bytes]) => [orderedToNumber(key, key.length - ORDERED_LENGTH), bytes] as const)
    // Without any, none follows either: a deleted account has many links without entries.
    keep(account, { from: sequence, to: entries.at(-1)?.[0] ?? Infinity, entries: new Map(entries), size })
  }

  function keep(account: string, cursor: Cursor): void {
    cursors.delete(account)
    cursors.set(account, cursor)
    const [oldest] = cursors.keys()
    if (cursors.size > MAX_ACCOUNTS && oldest !== undefined) cursors.delete(oldest)
  }

  return {
    prepare(account, sequence) {
      const known = cursors.get(account)
      if (known !== undefined && sequence >= known.from && sequence <= known.to) return undefined
      if (known !== undefined && sequence === known.to + 1) return load(account, sequence, Math.min(known.size * GROWTH, MAX_SIZE))
      // The first entry of an account may be the only one that is needed soon.
      const bytes = db.getBytes(accountKeys.journal(account, sequence))
      keep(account, { from: sequence, to: sequence, entries: new Map(bytes === undefined ? [] : [[sequence, bytes]]), size: 1 })
      return undefined
    },
    read: (account, sequence) => cursors.get(account)?.entries.get(sequence),
  }
}
