/**
 * Cache of the values of events by query, for summaries: a chart that is opened again or zoomed reads no records. Committed
 * changes mark the blocks whose times they concern, and the next use reads only these again.
 */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import type { CommittedEntry } from '../engine/journal.js'
import { createRecentlyUsed } from '../engine/recentlyUsed.js'
import { CallerGone, createYielder, type Yielder } from '../engine/yield.js'
import type { Event } from '../model/event.js'
import { recordTime } from '../model/eventRecord.js'
import { matches } from '../model/streamsQuery.js'
import { blockAt, blockBytes, createBlockBuilder, type EventBlock } from './eventBlocks.js'
import type { EventFilter } from './eventFilter.js'
import type { EventGroups } from './eventGroups.js'
import { scanStarts } from './eventQuery.js'

/** Values of the events of a query, in the order of time. */
export interface EventColumns {
  groups: EventGroups
  blocks: readonly EventBlock[]
}

/** The events of a query without times. */
interface ColumnSource {
  /** Identifies the query and its groups in the account. */
  key: string
  filter: EventFilter
  createGroups(): EventGroups
  /** Throws CallerGone once the caller has disconnected. */
  assertConnected?: (() => void) | undefined
}

interface EventColumnCache {
  /**
   * Returns the values of a query as of the latest commit; undefined when they need too much memory.
   * @throws TooManyGroups, CallerGone
   */
  of(account: Account, source: ColumnSource): Promise<EventColumns | undefined>
  /** Removes the columns that were not used since the last call. */
  releaseUnused(): void
  stop(): void
}

/** Needed by functions that summarise events. */
export interface EventColumnDeps {
  readonly eventColumns: EventColumnCache
}

interface CacheOptions {
  follow(listener: (entries: readonly CommittedEntry[]) => void): () => void
  /** Maximum bytes of all columns. */
  capacity?: number
}

const CAPACITY = 64 * 1024 * 1024
/** Bytes of an entry besides its blocks. */
const OVERHEAD = 2000
/** Maximum number of changed times remembered while columns are read. */
const MAX_PENDING = 100_000
/** Maximum time in milliseconds for which other calls wait. */
const SLICE_MS = 5
/** Records between two checks of the clock. */
const STEP = 100

/** The columns of a query; `blocks` are absent until they are read, and while they are too large. */
interface Entry {
  key: string
  /** Of the account. */
  prefix: string
  source: ColumnSource
  groups: EventGroups
  blocks?: readonly EventBlock[]
  bytes: number
  isTooLarge: boolean
  /** Blocks that changes concern. */
  changed: Set<EventBlock>
  /** Times of changes since the first reading began; undefined afterwards. */
  pending: number[] | undefined
  /** Reading in progress. */
  reading?: Promise<void>
  /** Checks of the callers that wait for the reading. */
  callers: Set<() => void>
}

/** Creates the cache of a store. */
export function createEventColumns({ follow, capacity = CAPACITY }: CacheOptions): EventColumnCache {
  const byAccount = new Map<string, Set<Entry>>()
  const entries = createRecentlyUsed<Entry>({
    capacity,
    isBusy: ({ reading }) => reading !== undefined,
    removed(entry) {
      const others = byAccount.get(entry.prefix)
      others?.delete(entry)
      if (others?.size === 0) byAccount.delete(entry.prefix)
    },
  })

  const stop = follow((committed) => {
    for (const { account, storedEvents } of committed) {
      const concerned = storedEvents === undefined ? undefined : byAccount.get(account)
      if (concerned === undefined) continue
      for (const entry of concerned) for (const { before, after } of storedEvents ?? []) noteChange(entry, before, after)
    }
  })

  function remove(entry: Entry): void {
    if (entries.peek(entry.key) === entry) entries.delete(entry.key)
  }

  /** Notes the size of an entry and makes room for it; returns false if it is too large. */
  function resize(entry: Entry, bytes: number): boolean {
    entry.bytes = bytes
    return entries.peek(entry.key) !== entry || entries.resize(entry.key, bytes)
  }

  function entryOf({ prefix }: Account, source: ColumnSource): Entry {
    const key = `${prefix}/${source.key}`
    const known = entries.use(key)
    if (known !== undefined) return known
    const entry: Entry = { key, prefix, source, groups: source.createGroups(), bytes: OVERHEAD + key.length, isTooLarge: false, changed: new Set(), pending: [], callers: new Set() }
    const others = byAccount.get(prefix) ?? new Set()
    byAccount.set(prefix, others.add(entry))
    entries.set(key, entry, entry.bytes)
    return entry
  }

  /** Reads what is missing in an entry. */
  async function update(account: Account, entry: Entry): Promise<void> {
    const pause = createYielder(SLICE_MS, () => {
      assertAwaited(entry)
    })
    const snapshot = account.db.snapshot()
    try {
      if (entry.blocks === undefined) await readAll(account, entry, { snapshot, pause })
      else await readChanged(account, entry, { snapshot, pause })
    } finally {
      await snapshot.close()
    }
  }

  async function readAll(account: Account, entry: Entry, reading: Reading): Promise<void> {
    const builder = createBlockBuilder(entry.groups, -Infinity)
    const base = entry.bytes
    const mayGrow = (): boolean => resize(entry, base + builder.bytes)
    if (!(await readInto(builder, account, entry, { from: -Infinity, to: Infinity }, reading, mayGrow))) {
      resize(entry, base)
      entry.isTooLarge = true
      return
    }
    entry.blocks = builder.finish()
    entry.bytes = base + builder.bytes
    const { pending = [] } = entry
    if (pending.length > MAX_PENDING) for (const block of entry.blocks) entry.changed.add(block)
    else for (const time of pending) markChanged(entry, time)
    entry.pending = undefined
  }

  return {
    async of(account, source) {
      const entry = entryOf(account, source)
      const assertConnected = source.assertConnected ?? ((): void => {})
      entry.callers.add(assertConnected)
      try {
        // A reading that began earlier may miss changes that this caller knows.
        for (let round = 0; !entry.isTooLarge && (entry.reading !== undefined || isOutdated(entry)) && round < MAX_ROUNDS; round++) {
          entry.reading ??= update(account, entry).finally(() => delete entry.reading)
          await entry.reading
        }
        if (entry.isTooLarge || entry.blocks === undefined) return undefined
        if (!resize(entry, entry.bytes)) remove(entry)
        return { groups: entry.groups, blocks: entry.blocks }
      } catch (error) {
        remove(entry)
        throw error
      } finally {
        entry.callers.delete(assertConnected)
      }
    },
    releaseUnused: entries.releaseUnused,
    stop,
  }
}

/** Readings awaited by one caller, which writers may outdate again. */
const MAX_ROUNDS = 3

const isOutdated = ({ blocks, changed }: Entry): boolean => blocks === undefined || changed.size > 0

/** Ends a reading for which no caller waits. @throws CallerGone */
function assertAwaited({ callers }: Entry): void {
  for (const assertConnected of callers) {
    try {
      assertConnected()
      return
    } catch {
      // Another caller may still be connected.
    }
  }
  throw new CallerGone()
}

/** Snapshot of a reading, and its yielder. */
interface Reading {
  snapshot: Snapshot
  pause: Yielder
}

function noteChange(entry: Entry, before: Event | undefined, after: Event | undefined): void {
  const { streams } = entry.source.filter
  for (const event of [before, after]) {
    if (event === undefined || !matches(streams, event.streamIds)) continue
    if (entry.pending === undefined) markChanged(entry, event.time)
    else if (entry.pending.length <= MAX_PENDING) entry.pending.push(event.time)
  }
}

function markChanged({ blocks = [], changed }: Entry, time: number): void {
  const block = blocks[blockAt(blocks, time)]
  if (block !== undefined) changed.add(block)
}

/** Reads the records that begin in `[from, to)` into a builder; returns false once `mayGrow` does. */
async function readInto(
  builder: ReturnType<typeof createBlockBuilder>,
  account: Account,
  { source: { filter } }: Entry,
  { from, to }: { from: number; to: number },
  reading: Reading,
  mayGrow: () => boolean = () => true,
): Promise<boolean> {
  let seen = 0
  for await (const page of scanStarts(account, filter, { from, to }, reading)) {
    for (const record of page) {
      if (to !== Infinity && recordTime(record) >= to) continue
      builder.add(record)
      seen += 1
      const pausing = seen % STEP === 0 ? reading.pause() : undefined
      if (pausing !== undefined) await pausing
    }
    if (!mayGrow()) return false
  }
  return true
}

/** Reads the changed blocks of an entry again. Changes during the reading concern the blocks that replace them. */
async function readChanged(account: Account, entry: Entry, reading: Reading): Promise<void> {
  const { blocks = [], changed } = entry
  entry.changed = new Set()
  const next: EventBlock[] = []
  try {
    for (const [at, block] of blocks.entries()) {
      if (!changed.has(block)) {
        next.push(block)
        continue
      }
      const builder = createBlockBuilder(entry.groups, block.from)
      await readInto(builder, account, entry, { from: block.from, to: blocks[at + 1]?.from ?? Infinity }, reading)
      const replacing = builder.finish()
      next.push(...replacing)
      entry.bytes += builder.bytes - blockBytes(block)
    }
  } catch (error) {
    for (const block of changed) entry.changed.add(block)
    throw error
  }
  const since = entry.changed
  entry.changed = new Set()
  entry.blocks = next
  for (const block of since) for (const one of replacementsOf(block, blocks, next)) entry.changed.add(one)
}

/** Returns the blocks of `next` that cover the times of a block of `blocks`. */
function replacementsOf(block: EventBlock, blocks: readonly EventBlock[], next: readonly EventBlock[]): EventBlock[] {
  const until = blocks[blocks.indexOf(block) + 1]?.from ?? Infinity
  return next.slice(blockAt(next, block.from)).filter(({ from }) => from < until || from === block.from)
}
