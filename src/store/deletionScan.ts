/** Finding deleted events, by the time of their deletion. */
import type { Account } from './account.js'
import type { Snapshot } from './database.js'
import { accountKeys, under } from './keys.js'

export interface DeletionScan {
  /** Only events deleted after this, in seconds. */
  since: number
  ascending: boolean
  skip: number
  limit: number
}

const PAGE = 1000

/**
 * Pages of deletions as `eventDeletions` lists them, `{ id, deleted, integrity? }` as JSON text, in the order of the
 * answer (data supplement 2.2), as they were at the moment of the snapshot, which the caller closes.
 */
export async function* scanDeletions(
  account: Account,
  scan: DeletionScan,
  snapshot: Snapshot,
): AsyncGenerator<string[]> {
  const { since, ascending } = scan
  let { skip, limit: left } = scan
  if (left <= 0) return
  // Everything under the very moment `since` is passed over: only later deletions count.
  const range = {
    gte: under(accountKeys.eventDeletion(account.prefix, since, '')).lt,
    lt: under(accountKeys.eventDeletions(account.prefix)).lt,
  }
  const source = account.db.values(range, { reverse: !ascending }, snapshot)
  try {
    while (left > 0) {
      const found = await source.next(Math.min(PAGE, skip + left))
      if (found.length === 0) return
      const page = found.slice(skip, skip + left)
      skip = Math.max(0, skip - found.length)
      left -= page.length
      if (page.length > 0) yield page
    }
  } finally {
    await source.close()
  }
}
