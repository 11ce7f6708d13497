/** Reads this side's feed for the peer, a group at a time: from memory when it is all there, else from disk. */
import type { FeedEntry } from '../state/state.js'
import { ENOUGH_BYTES, gather, MOST_ENTRIES, type Gathering } from './gather.js'
import { mayGive } from '../peers/peer.js'
import type { Holdings } from './holdings.js'
import { createPicker, type Picker } from './picking.js'
import type { ShareKeeper } from './shareKeeper.js'
import type { Tail } from './tail.js'

/**
 * Milliseconds that follow each entry that was given, at most LONGEST_REST in a row, before what is less than a full
 * group goes: a single change goes at once, and a node that is written to all the time gives few groups, which cost both
 * sides less.
 */
const REST = 1
const LONGEST_REST = 100

export interface FeedReader {
  /** What the next entries amount to; undefined at the end of the feed. */
  next(): Promise<Gathering | undefined>
  /** Milliseconds before the next entries should go; 0 when they should go now, or there are none. */
  rest(): number
  /** The sequence behind what was given. */
  readonly position: number
  /** How many entries are still to come. */
  readonly left: number
}

export interface FeedReaderOptions {
  holdings: Holdings
  tail: Tail
  share: ShareKeeper
  from: number
  wholeUpTo: number
  /** Takes items that are to be given beside the feed. */
  giveLater(items: Picker): void
}

export function createFeedReader({ holdings, tail, share, from, wholeUpTo, giveLater }: FeedReaderOptions): FeedReader {
  const { feed } = holdings
  const options = { holdings, wholeUpTo, reaches: new Map<string, number>(), late: new Map<string, number>() }
  const gives = mayGive(holdings.scope)
  let position = from
  let waiting: FeedEntry[] = []
  let upTo = from
  let restsUntil = 0
  /** Journal end when reading began. */
  const backlog = feed.staged()
  /** True when the entries up to that end move a stream. */
  let hasMoved = false

  async function fill(): Promise<boolean> {
    const page = tail.after(upTo) ?? (await feed.read(upTo, MOST_ENTRIES))
    if (page.upTo <= upTo) return false
    waiting = page.entries
    upTo = page.upTo
    return true
  }

  function take(): FeedEntry[] {
    let bytes = 0
    let count = 0
    while (count < waiting.length && count < MOST_ENTRIES && bytes < ENOUGH_BYTES) {
      bytes += waiting[count]?.change.length ?? 0
      count += 1
    }
    const taken = waiting.slice(0, count)
    waiting = waiting.slice(count)
    position = waiting.length === 0 ? upTo : (taken.at(-1)?.sequence ?? upTo)
    return taken
  }

  return {
    rest() {
      const behind = waiting.length > 0 ? 0 : feed.behind(upTo)
      return behind === 0 || behind >= MOST_ENTRIES ? 0 : Math.max(0, restsUntil - performance.now())
    },
    async next() {
      if (waiting.length === 0 && !(await fill())) return undefined
      const since = position
      const taken = take()
      if (!gives) return { entries: [], offers: [] }
      const { feed: passed, whole, rescan, moved, withdrawn } = share.sort(taken)
      if (moved && since < backlog) hasMoved = true
      const isOutcome = moved || (hasMoved && since < backlog)
      const gathering = await gather(passed, { ...options, ...(isOutcome ? { outcomeSince: since } : {}) })
      if (whole.length > 0) giveLater(createPicker(holdings, share.withStreams(whole)))
      gathering.entries.push(...withdrawn)
      if (rescan) giveLater(createPicker(holdings, share.arrived()))
      if (rescan) gathering.entries.push(...(await share.strayed()))
      if (options.reaches.size > MOST_REACHES) options.reaches.clear()
      const given = gathering.entries.length + gathering.offers.length
      restsUntil = performance.now() + Math.min(given * REST, LONGEST_REST)
      return gathering
    },
    get position() {
      return position
    },
    get left() {
      return waiting.length + feed.behind(upTo)
    },
  }
}

/** So many reaches of the other side are remembered; what is forgotten is offered once more. */
const MOST_REACHES = 10_000
