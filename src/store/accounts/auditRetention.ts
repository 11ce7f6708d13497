/**
 * Retention of audit records. Records beyond an age are a key range of each access. Records beyond a size are found by a
 * counter stored beside them, so that only new records are read.
 */
import type { Account } from '../engine/account.js'
import { auditAccessName, auditNames } from './audit.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, END, ordered, ORDERED_LENGTH, orderedToNumber, under } from '../engine/keys.js'
import { mergeRanges } from '../engine/mergeRanges.js'

/** Retention limits of an account's audit records; undefined keeps everything. */
export interface RetentionLimits {
  maxAgeSeconds?: number
  maxBytes?: number
}

/** Stored state of an account's retention. */
interface RetentionState {
  /** Time, in seconds, since which all records exist; absent until one is removed. */
  since?: number
  /** Bytes of the records before a time, as far as counted. */
  counted?: { before: number; bytes: number }
}

type AccountStore = Pick<Account, 'db' | 'prefix'>

export function readRetention({ db, prefix }: { db: Pick<Database, 'get'>; prefix: string }): RetentionState {
  const text = db.get(accountKeys.auditRetention(prefix))
  return text === undefined ? {} : (JSON.parse(text) as RetentionState)
}

/** Seconds during which recent records may still wait in memory for a write. */
const SETTLED_SECONDS = 120
/** Fraction of the size limit that a removal leaves, to make room for new records. */
const FILL = 0.9
/** Uncounted bytes below which the next pass counts again instead of storing the count. */
const MIN_STORED_BYTES = 64 * 1024
const STEP = 500

/** Records to remove from an account, and the counter afterwards. */
interface PrunePlan {
  /** Upper time of the removed range, in seconds; undefined for none. */
  before: number | undefined
  state: RetentionState
  /** True when the state must be stored, even if no record is removed. */
  mustStoreState: boolean
}

/** Finds an account's records beyond the limits at `now`, in seconds. Reads only new records and those to remove. */
export async function planPrune(place: AccountStore, limits: RetentionLimits, now: number): Promise<PrunePlan> {
  const { accesses } = await auditNames(place)
  const prefixes = accesses.map((base) => accountKeys.auditOf(place.prefix, base))
  const { since, counted } = readRetention(place)
  const { maxAgeSeconds, maxBytes } = limits
  const oldest = maxAgeSeconds === undefined ? -Infinity : now - maxAgeSeconds
  const stored = since === undefined ? {} : { since }
  if (maxBytes === undefined) return { before: await firstBefore(place, prefixes, oldest), state: stored, mustStoreState: counted !== undefined }
  const from = counted?.before ?? 0
  const to = Math.max(from, now - SETTLED_SECONDS)
  let added = 0
  for (const prefix of prefixes) {
    for await (const [key, value] of each(place.db.entries({ gte: prefix + ordered(from), lt: prefix + ordered(to) }))) added += key.length + value.length
  }
  const bytes = (counted?.bytes ?? 0) + added
  const large = bytes <= maxBytes ? -Infinity : await timeAtBytes(place, prefixes, bytes - maxBytes * FILL)
  const before = await firstBefore(place, prefixes, Math.max(oldest, large))
  return { before, state: { ...stored, counted: { before: to, bytes } }, mustStoreState: added >= MIN_STORED_BYTES }
}

/** Returns `time` when a record precedes it. */
async function firstBefore({ db }: AccountStore, prefixes: readonly string[], time: number): Promise<number | undefined> {
  if (time === -Infinity) return undefined
  for (const prefix of prefixes) {
    const keys = db.keys({ gte: prefix, lt: prefix + ordered(time) }, { limit: 1 })
    const [first] = await keys.next(1)
    await keys.close()
    if (first !== undefined) return time
  }
  return undefined
}

/** Returns the time before which the oldest records take this many bytes. */
async function timeAtBytes({ db }: AccountStore, prefixes: readonly string[], bytes: number): Promise<number> {
  const snapshot = db.snapshot()
  let freed = 0
  let last = ''
  const take = (end: string, value: string): string => {
    if (freed < bytes) {
      freed += (prefixes[0]?.length ?? 0) + end.length + value.length
      last = end
    }
    return end
  }
  try {
    const all = mergeRanges(db, prefixes, { from: '', exclusive: false, before: END }, { ascending: true, wanted: Infinity }, snapshot, take)
    for await (const _ of all) if (freed >= bytes) break
  } finally {
    await snapshot.close()
  }
  // Record times are whole milliseconds.
  return last === '' ? -Infinity : orderedToNumber(last.slice(0, ORDERED_LENGTH)) + 0.001
}

/**
 * Removes an account's records before a time, in small steps between which other writes run. Calls `onNameRemoved` for each
 * access name removed from the list, within that step. Returns the number of records removed.
 */
export async function prune(account: Account, { before, state }: PrunePlan, onNameRemoved: (name: string) => void): Promise<number> {
  const { db, prefix } = account
  const stored: RetentionState = structuredClone(state)
  const note = async (keys: readonly string[]): Promise<void> =>
    account.write((t) => {
      for (const key of keys) t.delete(key)
      t.put(accountKeys.auditRetention(prefix), JSON.stringify(stored))
    })
  if (before === undefined) {
    await note([])
    return 0
  }
  stored.since = Math.max(stored.since ?? -Infinity, before)
  let count = 0
  for (const base of (await auditNames(account)).accesses) {
    const own = accountKeys.auditOf(prefix, base)
    const entries = db.entries({ gte: own, lt: own + ordered(before) })
    let removed = 0
    try {
      for (let page = await entries.next(STEP); page.length > 0; page = await entries.next(STEP)) {
        for (const [key, value] of page) {
          if (stored.counted !== undefined) stored.counted.bytes = Math.max(0, stored.counted.bytes - key.length - value.length)
        }
        removed += page.length
        await note(page.map(([key]) => key))
      }
    } finally {
      await entries.close()
    }
    count += removed
    if (removed > 0) await unlistEmpty(account, base, onNameRemoved)
  }
  return count
}

/** Removes an access without records from the list of those that occur. */
async function unlistEmpty(account: Account, base: string, onNameRemoved: (name: string) => void): Promise<void> {
  const { db, prefix } = account
  const isEmpty = async (): Promise<boolean> => {
    const keys = db.keys(under(accountKeys.auditOf(prefix, base)), { limit: 1 })
    const [first] = await keys.next(1)
    await keys.close()
    return first === undefined
  }
  if (!(await isEmpty())) return
  await account.exclusively(async (write) => {
    if (!(await isEmpty())) return
    const name = auditAccessName(base)
    await write((t) => {
      t.delete(accountKeys.auditName(prefix, name))
      t.onStaged(() => onNameRemoved(name))
    })
  })
}
