/**
 * Arrival times of event changes from other nodes. Clients poll for events modified after the latest time they know,
 * and would miss earlier changes that arrive later. So arrival counts as modification: for each window of time in which
 * such changes arrived, a record stores the range of journal entries, which name the events.
 */
import type { Account } from './account.js'
import { each, type Snapshot } from './database.js'
import { decodeEntry } from './journal.js'
import { accountKeys, ORDERED_LENGTH, under } from './keys.js'
import { yieldEvery, type Yielder } from './yield.js'
import { textToArrivalWindow, SPAN_SECONDS } from './arrivalWindow.js'

const NONE: ReadonlySet<string> = new Set()

/** Cached results per snapshot: the events and the deletions of one answer need the same ids. */
const found = new WeakMap<Snapshot, { account: Account; since: number; ids: Promise<ReadonlySet<string>> }>()

/**
 * Returns the ids of events, including deleted ones, whose changes arrived from other nodes after `since`, in seconds.
 * May include some that arrived shortly before. Empty when `since` is 0 or negative: such a query covers all events
 * anyway.
 */
export async function arrivedSince(account: Account, since: number, snapshot: Snapshot, pause: Yielder = yieldEvery()): Promise<ReadonlySet<string>> {
  if (since <= 0 || !(await hasReceived(account))) return NONE
  const known = found.get(snapshot)
  if (known?.account === account && known.since === since) return known.ids
  const ids = read(account, since, snapshot, pause)
  found.set(snapshot, { account, since, ids })
  return ids
}

async function read({ db, prefix }: Account, since: number, snapshot: Snapshot, pause: Yielder): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  const spans = { ...under(accountKeys.allReceived(prefix)), gte: accountKeys.received(prefix, since - SPAN_SECONDS) }
  for await (const text of each(db.values(spans, {}, snapshot))) {
    const span = textToArrivalWindow(text)
    if (span === undefined) continue
    const entries = { gte: accountKeys.journal(prefix, span.first), lte: accountKeys.journal(prefix, span.last) }
    for await (const [, bytes] of each(db.byteEntries(entries, {}, snapshot))) {
      const entry = decodeEntry(bytes)
      if (entry?.origin !== undefined && entry.kind === 'event') ids.add(entry.id)
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
  }
  return ids
}

/** Checks whether changes ever arrived. Cached, since few accounts exist on several nodes and every poll calls this. */
async function hasReceived(account: Account): Promise<boolean> {
  if (account.received !== undefined) return account.received
  const { db, prefix } = account
  const spans = db.keys(under(accountKeys.allReceived(prefix)), { limit: 1 })
  const [key] = await spans.next(1)
  await spans.close()
  // A change may have arrived meanwhile.
  account.received ||= key !== undefined
  return account.received
}

/** Returns the keys `<time><id>` of those events that exist. */
export async function placesOf(account: Account, ids: ReadonlySet<string>, snapshot: Snapshot): Promise<string[]> {
  const all = [...ids]
  const places = await account.db.getMany(all.map((id) => accountKeys.eventPlace(account.prefix, id)), snapshot)
  return places.flatMap((place, i) => (place === undefined || place.startsWith('{') ? [] : [place.slice(0, ORDERED_LENGTH) + (all[i] ?? '')]))
}
