/** Queries of deleted events, by deletion time. */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { EventDeletion } from '../model/event.js'
import { yieldEvery, type Yielder } from '../engine/yield.js'
import { arrivedSince } from '../engine/remoteArrivals.js'

export interface DeletionQuery {
  /** Selects events deleted after this time, in seconds. */
  since: number
  ascending: boolean
  skip: number
  limit: number
  /** Throws CallerGone when yielding, once the caller has disconnected. */
  assertConnected?: () => void
}

const PAGE = 1000

/**
 * Returns pages of deletions as `eventDeletions` lists them: `{ id, deleted, integrity? }` as JSON text, in the order of the
 * answer (docs/interface/events.md#deletions). Reads a snapshot, which the caller closes.
 */
export async function* scanDeletions(
  account: Account,
  scan: DeletionQuery,
  snapshot: Snapshot,
): AsyncGenerator<string[]> {
  const { since, ascending } = scan
  let { skip, limit: left } = scan
  if (left <= 0) return
  // Deletions made elsewhere before `since` that arrived after it come first.
  const pause = yieldEvery(scan.assertConnected)
  const late = await receivedDeletions(account, since, snapshot, pause)
  const take = (found: readonly string[]): string[] => {
    const page = found.slice(skip, skip + left)
    skip = Math.max(0, skip - found.length)
    left -= page.length
    return page
  }
  if (ascending && late.length > 0) yield take(late)
  // Skips deletions exactly at `since`: only later ones count.
  const range = {
    gte: under(accountKeys.eventDeletion(account.prefix, since, '')).lt,
    lt: under(accountKeys.eventDeletions(account.prefix)).lt,
  }
  const source = account.db.values(range, { reverse: !ascending }, snapshot)
  try {
    while (left > 0) {
      const found = await source.next(Math.min(PAGE, skip + left))
      if (found.length === 0) break
      const page = take(found)
      if (page.length > 0) yield page
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
  } finally {
    await source.close()
  }
  if (!ascending && left > 0 && late.length > 0) yield take(late.reverse())
}

/** Returns the deletions up to `since` that arrived from other nodes after it, earliest first. */
async function receivedDeletions(account: Account, since: number, snapshot: Snapshot, pause: Yielder): Promise<string[]> {
  const ids = [...(await arrivedSince(account, since, snapshot, pause))]
  if (ids.length === 0) return []
  const { db, prefix } = account
  const places = await db.getMany(ids.map((id) => accountKeys.eventPlace(prefix, id)), snapshot)
  const keys = places.flatMap((place, i) => {
    const deleted = place?.startsWith('{') === true ? (JSON.parse(place) as EventDeletion).deleted : Infinity
    return deleted > since ? [] : [accountKeys.eventDeletion(prefix, deleted, ids[i] ?? '')]
  })
  return (await db.getMany(keys.sort(), snapshot)).filter((text) => text !== undefined)
}
