/** Reads the journal of an account as the feed for other nodes. */
import { each } from '../../store/engine/database.js'
import { decodeEntry, type CommittedEntry } from '../../store/engine/journal.js'
import { accountKeys, orderedToNumber } from '../../store/engine/keys.js'
import { isNodeLocal } from '../../store/model/digestElement.js'
import { itemKey } from '../wire/entry.js'
import { isDocument, itemKindOf } from './digestDelta.js'
import type { DigestSource } from './readItem.js'
import type { FeedEntry } from '../wire/itemSet.js'

/** Maximum bytes of changes read at once. */
const MAX_BYTES = 4 * 1024 * 1024
/** Maximum number of entries examined at once, skipped ones included. */
const MAX_SEEN = 20_000

type FeedNotice = Pick<CommittedEntry, 'sequence' | 'kind' | 'action' | 'id' | 'origin' | 'about'>

/** Returns an entry in the form that other nodes receive; undefined when it is not replicated. */
export function feedEntry(entry: FeedNotice, change: Uint8Array): FeedEntry | undefined {
  const { sequence, kind, action, id, origin, about } = entry
  if (itemKindOf(kind) === undefined || isNodeLocal(itemKey(entry))) return undefined
  // Node-local accesses and writes without effect have no change.
  if (!isDocument(kind) && change.length === 0) return undefined
  const replicated: FeedEntry = { sequence, kind, action, id, change }
  if (origin !== undefined) replicated.origin = origin
  if (about !== undefined) replicated.about = about
  return replicated
}

/**
 * Returns replicated entries after a sequence and up to another, at most `limit`. `upTo` is less than `last` when there may
 * be more.
 */
export async function readFeed(
  { db, account }: DigestSource,
  after: number,
  last: number,
  limit: number,
): Promise<{ entries: FeedEntry[]; upTo: number }> {
  const entries: FeedEntry[] = []
  let upTo = after
  let bytesRead = 0
  let seen = 0
  if (after >= last) return { entries, upTo }
  const range = { gt: accountKeys.journal(account, after), lte: accountKeys.journal(account, last) }
  const start = accountKeys.journals(account).length
  for await (const [key, bytes] of each(db.byteEntries(range), Math.min(1000, limit + 1))) {
    const sequence = orderedToNumber(key, start)
    const decoded = decodeEntry(bytes)
    const entry = decoded && feedEntry({ ...decoded, sequence }, decoded.change)
    if (entry !== undefined) {
      // Copied: a view would keep the whole database page in memory.
      entries.push({ ...entry, change: entry.change.slice() })
      bytesRead += bytes.length
    }
    upTo = sequence
    seen += 1
    if (entries.length >= limit || bytesRead >= MAX_BYTES || seen >= MAX_SEEN) return { entries, upTo }
  }
  return { entries, upTo: last }
}
