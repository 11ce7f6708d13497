/**
 * Cache of the events of accounts in memory (eventPages.ts): queries of an account whose events fit in read no database. An
 * account is loaded once queries have read from the database for about as long as loading takes, and is then kept up to date from
 * what its commits write. Accounts without queries leave the cache.
 */
import type { Account } from '../engine/account.js'
import { stagedText } from '../engine/commit.js'
import type { Database } from '../engine/database.js'
import type { CommittedEntry } from '../engine/journal.js'
import { accountKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'
import { createRecentlyUsed } from '../engine/recentlyUsed.js'
import { createYielder } from '../engine/yield.js'
import { compareChanges, createPageBuilder, createRecordGroups, updatedPages, type AccountPages, type EventPage, type RecordChange, type RecordGroups } from './eventPages.js'

export interface EventPageCache {
  /** Returns the events of an account as of its latest commit, for one query; undefined while they are not in memory. */
  of(account: Account): AccountPages | undefined
  /** Notes that a query read so many records from the database. An account is loaded once that has cost as much as loading it. */
  noteRead(account: Account, records: number): void
  /** Resolves when no account is being loaded. */
  settled(): Promise<void>
  /** Removes the accounts that were not queried since the last call. */
  releaseUnused(): void
  /** Ends all loading and empties the cache. */
  stop(): Promise<void>
}

/** Needed by functions that query events. */
export interface EventPageDeps {
  readonly eventPages: EventPageCache
}

interface CacheOptions {
  db: Database
  follow(listener: (entries: readonly CommittedEntry[]) => void): () => void
  /** Maximum bytes of all pages. */
  capacity?: number
  /** Cost of queries, in records read, before the smallest account is loaded. */
  minCost?: number
}

const CAPACITY = 64 * 1024 * 1024
/** Maximum number of accounts whose queries are counted. */
const MAX_ACCOUNTS = 256
/** Cost of loading an account, in records read: the minimum, and compressed bytes in the database for which one is counted. */
const MIN_COST = 2000
const BYTES_PER_RECORD = 128
/** Cost of a query besides the records that it reads. */
const QUERY_COST = 100
/** Combinations of streams and type beyond which an account is not loaded. */
const MAX_GROUPS = 20_000
/** Maximum number and bytes of written events that wait for the next query. */
const MAX_PENDING = 1000
const MAX_PENDING_BYTES = 1024 * 1024
/** Maximum time in milliseconds for which other calls wait while an account is loaded. */
const SLICE_MS = 5
const READ_AT_ONCE = 500

interface Entry {
  prefix: string
  /** Weak, so that an account that the store unloads leaves memory. */
  account: WeakRef<Account>
  /** Notes the writes of the account, from the start of loading on. */
  listener: Account['onWritten']
  groups: RecordGroups
  /** Absent until the account is loaded. */
  pages?: readonly EventPage[]
  /** Writes since the pages, by the part of the key after the prefix: time and id. */
  pending: Map<string, string | Uint8Array | null>
  pendingBytes: number
  /** Cost of the queries that read the database, and the cost of loading the account once it is known. */
  cost: number
  loadCost: number | undefined
  state: 'counting' | 'loading' | 'loaded' | 'too-large'
}

export function createEventPageCache({ db, follow, capacity = CAPACITY, minCost = MIN_COST }: CacheOptions): EventPageCache {
  const entries = createRecentlyUsed<Entry>({
    capacity,
    maxValues: MAX_ACCOUNTS,
    removed(entry) {
      unload(entry)
      entry.state = 'counting'
    },
  })
  /** Accounts are loaded one at a time. */
  let loading: Promise<void> | undefined
  let isStopped = false

  const isCurrent = (entry: Entry): boolean => entries.peek(entry.prefix) === entry

  function unload(entry: Entry): void {
    const account = entry.account.deref()
    if (account?.onWritten === entry.listener && account !== undefined) account.onWritten = undefined
    delete entry.pages
    takePending(entry)
  }

  /** Returns the writes that wait, and forgets them. */
  function takePending(entry: Entry): Entry['pending'] {
    const { pending } = entry
    entry.pending = new Map()
    entry.pendingBytes = 0
    return pending
  }

  /** Marks an account as too large, for as long as it is in the cache. */
  function refuse(entry: Entry): void {
    unload(entry)
    if (isCurrent(entry)) entries.resize(entry.prefix, 0)
    entry.state = 'too-large'
  }

  function entryOf(account: Account): Entry {
    const { prefix } = account
    const known = entries.use(prefix)
    if (known?.account.deref() === account) return known
    const entry: Entry = { prefix, account: new WeakRef(account), listener: undefined, groups: createRecordGroups(), pending: new Map(), pendingBytes: 0, cost: 0, loadCost: undefined, state: 'counting' }
    entries.set(prefix, entry, 0)
    return entry
  }

  /** Notes what a commit wrote. */
  const noteWrites = (entry: Entry): Entry['listener'] => {
    const prefix = accountKeys.events(entry.prefix)
    return (operations) => {
      for (const [key, value] of operations) {
        if (!key.startsWith(prefix)) continue
        entry.pending.set(key.slice(prefix.length), value)
        entry.pendingBytes += value?.length ?? 0
      }
      if (entry.state === 'loaded' && (entry.pending.size > MAX_PENDING || entry.pendingBytes > MAX_PENDING_BYTES)) update(entry)
    }
  }

  /** Applies the writes since the pages were made. */
  function update(entry: Entry): void {
    const { pages, groups } = entry
    if (pages === undefined || entry.pending.size === 0) return
    try {
      const changes = Array.from(takePending(entry), ([place, value]) => changeOf(place, value)).sort(compareChanges)
      entry.pages = updatedPages(pages, changes, groups)
      admit(entry, bytesOf(entry.pages))
    } catch {
      // Pages that lack a change must not be read.
      refuse(entry)
    }
  }

  /** Notes the size of an account and makes room for it; returns false for an account that is too large, and unloads it. */
  function admit(entry: Entry, bytes: number): boolean {
    const fits = bytes <= capacity && entry.groups.size <= MAX_GROUPS && isCurrent(entry)
    if (fits) entries.resize(entry.prefix, bytes)
    else refuse(entry)
    return fits
  }

  /** Loads an account. Its commits are noted from before the snapshot on, so that none is missed. */
  async function load(entry: Entry): Promise<void> {
    const account = entry.account.deref()
    if (account === undefined) return entries.delete(entry.prefix)
    const range = under(accountKeys.events(entry.prefix))
    entry.groups = createRecordGroups()
    entry.listener = noteWrites(entry)
    account.onWritten = entry.listener
    const snapshot = db.snapshot()
    const source = db.values(range, {}, snapshot)
    const builder = createPageBuilder(entry.groups)
    const pause = createYielder(SLICE_MS)
    try {
      for (let page = await source.next(READ_AT_ONCE); page.length > 0; page = await source.next(READ_AT_ONCE)) {
        if (isStopped || entry.state !== 'loading') return
        for (const record of page) builder.add(record)
        if (!admit(entry, builder.bytes)) return
        const pausing = pause()
        if (pausing !== undefined) await pausing
      }
      if (isStopped || entry.state !== 'loading') return
      const pages = builder.finish()
      if (!admit(entry, builder.bytes)) return
      entry.pages = pages
      entry.state = 'loaded'
    } finally {
      await source.close()
      await snapshot.close()
    }
  }

  /** Loads an account whose queries have cost enough, after its size is known. */
  function loadIfWorthwhile(entry: Entry): void {
    if (entry.cost < (entry.loadCost ?? minCost) || loading !== undefined || isStopped) return
    loading = (entry.loadCost === undefined ? judge(entry) : start(entry))
      // Queries of the database report what is damaged.
      .catch(() => {
        refuse(entry)
      })
      .finally(() => {
        loading = undefined
      })
  }

  /** Determines the cost of loading an account by its size in the database. */
  async function judge(entry: Entry): Promise<void> {
    const stored = await db.size(under(accountKeys.events(entry.prefix)))
    entry.loadCost = Math.max(minCost, stored / BYTES_PER_RECORD)
    // Stored records are compressed: if they exceed the capacity, the account does not fit.
    if (stored > capacity && entry.state === 'counting') refuse(entry)
  }

  async function start(entry: Entry): Promise<void> {
    if (entry.state !== 'counting' || !isCurrent(entry)) return
    entry.state = 'loading'
    await load(entry)
  }

  // The events of an erased account leave memory with it.
  const unfollow = follow((committed) => {
    for (const { kind, action, account } of committed) if (kind === 'user' && action === 'delete') entries.delete(account)
  })

  return {
    of(account) {
      const entry = entryOf(account)
      if (entry.state === 'loaded') update(entry)
      const { pages, groups } = entry
      return pages === undefined ? undefined : { pages, groups }
    },
    noteRead(account, records) {
      const entry = entries.peek(account.prefix)
      if (entry?.account.deref() !== account || entry.state !== 'counting') return
      entry.cost += QUERY_COST + records
      loadIfWorthwhile(entry)
    },
    async settled() {
      while (loading !== undefined) await loading
    },
    releaseUnused: entries.releaseUnused,
    async stop() {
      isStopped = true
      unfollow()
      await loading
      entries.clear()
    },
  }
}

function changeOf(place: string, value: string | Uint8Array | null): RecordChange {
  const [time, id] = [orderedToNumber(place), place.slice(ORDERED_LENGTH)]
  const record = stagedText(value)
  return record === undefined ? { time, id } : { time, id, record }
}

const bytesOf = (pages: readonly EventPage[]): number => pages.reduce((sum, { bytes }) => sum + bytes, 0)
