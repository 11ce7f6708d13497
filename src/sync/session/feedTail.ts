/** The most recent feed entries, kept in memory as they are committed, so that they can be sent without reading from disk. */
import type { FeedEntry } from '../wire/itemSet.js'
import type { Replica } from './replica.js'

/** Maximum number of entries in memory; beyond it they are read from disk. */
const MAX_ENTRIES = 2000
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
    if (entries.length > MAX_ENTRIES || bytes > MAX_BYTES) forget()
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
