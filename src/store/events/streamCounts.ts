/**
 * Counts of the events of accounts by the streams they are in, in memory. The first use of an account counts its records in one
 * snapshot; committed changes then keep the counts exact. The set of streams of an event is the unit, so that sums over
 * descendants count each event once, whatever the access may read.
 */
import type { Account } from '../engine/account.js'
import type { Database, Snapshot } from '../engine/database.js'
import type { CommittedEntry, States } from '../engine/journal.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, under } from '../engine/keys.js'
import { createYielder, type Yielder } from '../engine/yield.js'
import type { Event } from '../model/event.js'
import { recordContent, recordId, recordIsTrashed, recordStreamIds, recordStreamsText, recordTime, recordType } from '../model/eventRecord.js'
import { latestEvent } from './streamStats.js'

/** Number of events whose streams are exactly these. */
interface StreamSet {
  readonly streamIds: readonly string[]
  /** Events that are not trashed. */
  live: number
  trashed: number
}

/** The latest event of a stream that is not trashed. */
export interface LatestInStream {
  id: string
  type: string
  /** Seconds. */
  time: number
  streamIds: readonly string[]
  /** Content as JSON text, if it has at most MAX_SHOWN_CONTENT characters. */
  content?: string
}

/** Counts of one account. Both maps change with each commit. */
export interface StreamCounts {
  readonly sets: ReadonlyMap<string, StreamSet>
  readonly latest: ReadonlyMap<string, LatestInStream>
}

export interface StreamCounter {
  /** Returns the counts of an account, as of its latest commit, with the latest events of the given streams. */
  of(account: Account, latestOf?: Iterable<string>): Promise<StreamCounts>
  stop(): void
}

/** Needed by functions that count events by stream. */
export interface StreamCountDeps {
  readonly streamCounts: StreamCounter
}

interface CounterOptions {
  follow(listener: (entries: readonly CommittedEntry[]) => void): () => void
  /** Maximum number of sets and latest events in memory, of all accounts. */
  capacity?: number
}

/** Maximum length of the content of a latest event, in characters of JSON. */
const MAX_SHOWN_CONTENT = 200
/** About 40 MB. */
const CAPACITY = 200_000
/** Maximum number of changes remembered while an account is counted. */
const MAX_PENDING = 100_000
/** Maximum time in milliseconds for which other calls wait for a count. */
const SLICE_MS = 5
/** Rounds of reading latest events that writers replace meanwhile. */
const MAX_ROUNDS = 3

/** Creates the counts of a store's accounts. The least recently used ones leave memory first. */
export function createStreamCounter({ follow, capacity = CAPACITY }: CounterOptions): StreamCounter {
  // A Map keeps insertion order, so its first entry is the least recently used.
  const counted = new Map<string, AccountCounts>()
  const counting = new Map<string, Counting>()

  const stop = follow((entries) => {
    for (const { account, sequence, storedEvents } of entries) {
      if (storedEvents === undefined) continue
      const counts = counted.get(account)
      if (counts !== undefined) for (const states of storedEvents) counts.apply(states)
      const pending = counting.get(account)?.pending
      // Counts that miss changes are used once.
      if (pending === undefined || pending.length > MAX_PENDING) continue
      for (const states of storedEvents) pending.push({ sequence, states })
    }
  })

  /** Counts an account, then applies the commits that the snapshot does not contain. */
  async function count(account: Account, pending: PendingChange[]): Promise<AccountCounts> {
    const snapshot = account.db.snapshot()
    try {
      const counts = await countRecords(account, snapshot)
      const last = await lastSequence(account, snapshot)
      for (const { sequence, states } of pending) if (sequence > last) counts.apply(states)
      if (pending.length <= MAX_PENDING) remember(account.prefix, counts)
      return counts
    } finally {
      counting.delete(account.prefix)
      await snapshot.close()
    }
  }

  function remember(prefix: string, counts: AccountCounts): void {
    counted.delete(prefix)
    counted.set(prefix, counts)
    let size = 0
    for (const each of counted.values()) size += each.size
    for (const [oldest, { size: freed }] of counted) {
      if (size <= capacity) return
      counted.delete(oldest)
      size -= freed
    }
  }

  function load(account: Account): Promise<AccountCounts> {
    const known = counting.get(account.prefix)
    if (known !== undefined) return known.counts
    const pending: PendingChange[] = []
    const started: Counting = { pending, counts: Promise.resolve().then(() => count(account, pending)) }
    counting.set(account.prefix, started)
    return started.counts
  }

  return {
    async of(account, latestOf = []) {
      let counts = counted.get(account.prefix)
      if (counts === undefined) counts = await load(account)
      else remember(account.prefix, counts)
      const wanted = [...latestOf]
      for (let round = 0; round < MAX_ROUNDS && (await counts.refresh(account, wanted)); round++);
      return counts
    },
    stop,
  }
}

/** A committed change of an event, with its position in the journal. */
interface PendingChange {
  sequence: number
  states: States<Event>
}

/** A count in progress. */
interface Counting {
  counts: Promise<AccountCounts>
  pending: PendingChange[]
}

/** The counts of an account, which committed changes keep exact. */
interface AccountCounts extends StreamCounts {
  readonly size: number
  apply(states: States<Event>): void
  /** Reads latest events that changes may have replaced, of some streams; returns true if there were any. */
  refresh(account: Account, streams: readonly string[]): Promise<boolean>
}

/** Ids contain no quotes. */
const setKey = (streamIds: readonly string[]): string => streamIds.join('","')

/** Checks whether an event comes at or after another in the order of time. */
const isAtLeast = (one: Pick<Event, 'time' | 'id'>, other: Pick<Event, 'time' | 'id'>): boolean =>
  one.time > other.time || (one.time === other.time && one.id >= other.id)

function accountCounts(sets: Map<string, StreamSet>, latest: Map<string, LatestInStream>): AccountCounts {
  /** Streams whose latest event must be read again. */
  const stale = new Set<string>()

  function change({ streamIds, trashed }: Event, by: number): void {
    const key = setKey(streamIds)
    let set = sets.get(key)
    if (set === undefined) sets.set(key, (set = { streamIds, live: 0, trashed: 0 }))
    if (trashed === true) set.trashed += by
    else set.live += by
    if (set.live === 0 && set.trashed === 0) sets.delete(key)
  }

  function noteLatest(event: Event): void {
    for (const stream of event.streamIds) {
      const known = latest.get(stream)
      if (known === undefined || isAtLeast(event, known)) stale.add(stream)
    }
  }

  return {
    sets,
    latest,
    get size() {
      return sets.size + latest.size
    },
    apply({ before, after }) {
      for (const [event, by] of [[before, -1], [after, 1]] as const) {
        if (event === undefined) continue
        change(event, by)
        noteLatest(event)
      }
    },
    async refresh(account, streams) {
      const wanted = streams.filter((stream) => stale.delete(stream))
      if (wanted.length === 0) return false
      const pause = createYielder(SLICE_MS)
      const snapshot = account.db.snapshot()
      try {
        for (const stream of wanted) {
          const found = await latestEvent(account, stream, { max: 1, trashed: false }, snapshot, pause)
          if (found === undefined) latest.delete(stream)
          else latest.set(stream, shownLatest(found.record))
        }
      } catch (error) {
        for (const stream of wanted) stale.add(stream)
        throw error
      } finally {
        await snapshot.close()
      }
      return true
    },
  }
}

/** Returns what is shown of a latest event. */
export function shownLatest(record: string): LatestInStream {
  const content = recordContent(record, MAX_SHOWN_CONTENT)
  return {
    id: recordId(record),
    type: recordType(record),
    time: recordTime(record),
    streamIds: recordStreamIds(record),
    ...(content === undefined ? {} : { content }),
  }
}

/** Records between two checks of the clock. */
const STEP = 200
const PAGE_SIZE = 1000

/** Counts all records of an account in a snapshot, in the order of time. */
async function countRecords(account: Account, snapshot: Snapshot): Promise<AccountCounts> {
  const sets = new Map<string, StreamSet & { last?: string }>()
  const pages = account.db.values(under(accountKeys.events(account.prefix)), {}, snapshot)
  const pause = createYielder(SLICE_MS)
  try {
    for (let page = await pages.next(PAGE_SIZE); page.length > 0; page = await pages.next(PAGE_SIZE)) {
      for (const [at, record] of page.entries()) {
        const key = recordStreamsText(record)
        let set = sets.get(key)
        if (set === undefined) sets.set(key, (set = { streamIds: recordStreamIds(record), live: 0, trashed: 0 }))
        if (recordIsTrashed(record)) set.trashed += 1
        else {
          set.live += 1
          set.last = record
        }
        if (at % STEP === 0) await paused(pause)
      }
    }
  } finally {
    await pages.close()
  }
  return accountCounts(sets, await latestOfSets(sets, pause))
}

async function paused(pause: Yielder): Promise<void> {
  const pausing = pause()
  if (pausing !== undefined) await pausing
}

/** Returns the latest event of each stream from those of the sets, which it removes. */
async function latestOfSets(sets: ReadonlyMap<string, StreamSet & { last?: string }>, pause: Yielder): Promise<Map<string, LatestInStream>> {
  const latest = new Map<string, LatestInStream>()
  for (const set of sets.values()) {
    if (set.last === undefined) continue
    const shown = shownLatest(set.last)
    delete set.last
    for (const stream of set.streamIds) {
      const known = latest.get(stream)
      if (known === undefined || isAtLeast(shown, known)) latest.set(stream, shown)
    }
    await paused(pause)
  }
  return latest
}

/** Returns the sequence of the latest journal entry in a snapshot. */
async function lastSequence({ db, prefix }: { db: Database; prefix: string }, snapshot: Snapshot): Promise<number> {
  const last = db.keys(under(accountKeys.journals(prefix)), { reverse: true, limit: 1 }, snapshot)
  const [key] = await last.next(1)
  await last.close()
  return key === undefined ? 0 : orderedToNumber(key, key.length - ORDERED_LENGTH)
}
