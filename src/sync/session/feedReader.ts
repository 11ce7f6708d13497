/**
 * Reads the local feed for the peer in batches: from memory if all of it is there, else from disk. `FeedTail` keeps the most
 * recent entries in memory as they are committed.
 */
import { maySend } from '../../store/replication/peers.js'
import type { FeedEntry } from '../wire/itemSet.js'
import { buildBatch, MAX_ENTRIES, TARGET_BATCH_BYTES, type Batch } from './batchBuilder.js'
import { createItemReader, type ItemReader } from './itemReader.js'
import type { Replica } from './replica.js'
import type { ShareKeeper } from './shareKeeper.js'

/**
 * Delay in milliseconds per entry sent, at most MAX_REST_LENGTH in total, before an incomplete batch is sent. A single
 * change is sent at once; under constant writes batches become fewer and larger.
 */
const DELAY_PER_ENTRY_MS = 1
const MAX_DELAY_MS = 100

export interface FeedReader {
  /** Returns the next batch; undefined at the end of the feed. */
  next(): Promise<Batch | undefined>
  /** Returns the milliseconds until the next batch should be sent; 0 if it should be sent now, or there is none. */
  delay(): number
  /** Sequence up to which the feed was read. */
  readonly position: number
  /** Number of entries not yet read. */
  readonly unread: number
}

interface FeedReaderOptions {
  replica: Replica
  tail: FeedTail
  share: ShareKeeper
  from: number
  wholeUpTo: number
  /** Queues items to send beside the feed. */
  queueItems(items: ItemReader): void
}

export function createFeedReader({ replica, tail, share, from, wholeUpTo, queueItems }: FeedReaderOptions): FeedReader {
  const { feed } = replica
  const options = { replica, wholeUpTo, knownVersions: new Map<string, number>(), late: new Map<string, number>() }
  const gives = maySend(replica.scope)
  let position = from
  let waiting: FeedEntry[] = []
  let upTo = from
  let restsUntil = 0
  /** Journal end when reading began. */
  const backlog = feed.staged()
  /** True when the entries up to that end move a stream. */
  let hasMoved = false

  async function fill(): Promise<boolean> {
    const page = tail.after(upTo) ?? (await feed.read(upTo, MAX_ENTRIES))
    if (page.upTo <= upTo) return false
    waiting = page.entries
    upTo = page.upTo
    return true
  }

  function take(): FeedEntry[] {
    let bytes = 0
    let count = 0
    while (count < waiting.length && count < MAX_ENTRIES && bytes < TARGET_BATCH_BYTES) {
      bytes += waiting[count]?.change.length ?? 0
      count += 1
    }
    const taken = waiting.slice(0, count)
    waiting = waiting.slice(count)
    position = waiting.length === 0 ? upTo : (taken.at(-1)?.sequence ?? upTo)
    return taken
  }

  return {
    delay() {
      const behind = waiting.length > 0 ? 0 : feed.behind(upTo)
      return behind === 0 || behind >= MAX_ENTRIES ? 0 : Math.max(0, restsUntil - performance.now())
    },
    async next() {
      if (waiting.length === 0 && !(await fill())) return undefined
      const since = position
      const taken = take()
      if (!gives) return { entries: [], offers: [] }
      const { feed: passed, whole, rescan, moved, withdrawn } = share.sort(taken)
      if (moved && since < backlog) hasMoved = true
      const isOutcome = moved || (hasMoved && since < backlog)
      const gathering = await buildBatch(passed, { ...options, ...(isOutcome ? { combineSince: since } : {}) })
      if (whole.length > 0) queueItems(createItemReader(replica, share.withStreams(whole)))
      gathering.entries.push(...withdrawn)
      if (rescan) queueItems(createItemReader(replica, share.enteredScope()))
      if (rescan) gathering.entries.push(...(await share.outsideScope()))
      if (options.knownVersions.size > MAX_KNOWN_VERSIONS) options.knownVersions.clear()
      const given = gathering.entries.length + gathering.offers.length
      restsUntil = performance.now() + Math.min(given * DELAY_PER_ENTRY_MS, MAX_DELAY_MS)
      return gathering
    },
    get position() {
      return position
    },
    get unread() {
      return waiting.length + feed.behind(upTo)
    },
  }
}

/** Maximum number of known series positions of the peer; forgotten ones are offered again. */
const MAX_KNOWN_VERSIONS = 10_000

/** Maximum number of entries in memory; beyond it they are read from disk. */
const MAX_TAIL_ENTRIES = 2000
const MAX_BYTES = 4 * 1024 * 1024

export interface FeedTail {
  /** Returns all entries after a sequence, and the last sequence; undefined when some are only on disk. */
  after(sequence: number): { entries: FeedEntry[]; upTo: number } | undefined
  stop(): void
}

/** Buffers commits from now on until they are read. `onMore` is called at each commit. */
export function followFeedTail(feed: Replica['feed'], onMore: () => void): FeedTail {
  let entries: FeedEntry[] = []
  let bytes = 0
  /** Memory holds all entries after this sequence, up to `upTo`. */
  let from = feed.staged()
  let upTo = from
  const forget = (): void => {
    entries = []
    bytes = 0
    from = upTo
  }
  const stop = feed.follow((more, end) => {
    upTo = Math.max(upTo, end)
    for (const entry of more) {
      if (entry.sequence <= from) continue
      entries.push(entry)
      bytes += entry.change.length
      for (const segment of entry.about?.points?.segments ?? []) bytes += segment.length
    }
    if (entries.length > MAX_TAIL_ENTRIES || bytes > MAX_BYTES) forget()
    onMore()
  })
  return {
    after(sequence) {
      if (sequence < from) return undefined
      if (upTo <= sequence) return { entries: [], upTo: sequence }
      const taken = { entries: entries.filter((entry) => entry.sequence > sequence), upTo }
      forget()
      return taken
    },
    stop,
  }
}
