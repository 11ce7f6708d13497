/**
 * When changes of events came from other nodes. Clients follow an account by asking for what was modified after the latest
 * time that they have seen; what was modified elsewhere before that time and comes afterwards would stay unseen for good.
 * So the time of arrival counts too: of a span of time in which such changes came, the entries of the journal are noted,
 * and these name the events.
 */
import type { Account } from './account.js'
import { each, type Snapshot } from './database.js'
import { decodeEntry } from './journal.js'
import { accountKeys, ORDERED_LENGTH, under } from './keys.js'
import { yieldEvery, type Yielder } from './yield.js'

/** Changes that come within so many seconds after the first are noted with it: a first sync brings thousands a second. */
const SPAN_SECONDS = 0.1

/** A span in which changes came: its first moment, in seconds, and the entries of the journal around all of them. */
export interface ArrivalWindow {
  time: number
  first: number
  last: number
}

/** The span to which entries `first` to `last` belong, which come at `time`; `latest` is that of the changes before. */
export function arrivalWindow(latest: ArrivalWindow | undefined, time: number, first: number, last: number): ArrivalWindow {
  const goesOn = latest !== undefined && time >= latest.time && time - latest.time < SPAN_SECONDS
  return goesOn ? { ...latest, last } : { time, first, last }
}

export const arrivalWindowToText = ({ first, last }: ArrivalWindow): string => `${first.toString(36)}-${last.toString(36)}`

/** The entries that a span has; undefined when the text is none. */
export function textToArrivalWindow(text: string): { first: number; last: number } | undefined {
  const parts = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})$/.exec(text)
  if (parts === null) return undefined
  const [first, last] = [Number.parseInt(parts[1] ?? '', 36), Number.parseInt(parts[2] ?? '', 36)]
  return first >= 1 && first <= last && Number.isSafeInteger(last) ? { first, last } : undefined
}

const NONE: ReadonlySet<string> = new Set()

/** What was found at a moment: the events and the deletions of one answer ask for the same. */
const found = new WeakMap<Snapshot, { account: Account; since: number; ids: Promise<ReadonlySet<string>> }>()

/**
 * Ids of the events, deleted ones too, whose changes came from other nodes after `since`, in seconds, and perhaps of some
 * that came a moment before. None for moments before 1970: who asks so asks for everything.
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

/** Whether anything ever came. Few accounts live on several nodes, and all of them are asked for what was modified. */
async function hasReceived(account: Account): Promise<boolean> {
  if (account.received !== undefined) return account.received
  const { db, prefix } = account
  const spans = db.keys(under(accountKeys.allReceived(prefix)), { limit: 1 })
  const [key] = await spans.next(1)
  await spans.close()
  // Something may have come meanwhile.
  account.received ||= key !== undefined
  return account.received
}

/** Keys `<time><id>` of those of the events that are there. */
export async function placesOf(account: Account, ids: ReadonlySet<string>, snapshot: Snapshot): Promise<string[]> {
  const all = [...ids]
  const places = await account.db.getMany(all.map((id) => accountKeys.eventPlace(account.prefix, id)), snapshot)
  return places.flatMap((place, i) => (place === undefined || place.startsWith('{') ? [] : [place.slice(0, ORDERED_LENGTH) + (all[i] ?? '')]))
}
