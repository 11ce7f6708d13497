/** The end of a feed in memory, as commits come, for giving them on without reading them back. */
import type { FeedEntry } from '../wire/itemSet.js'
import type { Replica } from './replica.js'

/** More than this is read from disk instead. */
const MAX_ENTRIES = 2000
const MAX_BYTES = 4 * 1024 * 1024

export interface FeedTail {
  /** All entries behind a sequence, and the sequence after them; undefined when some are on disk only. */
  after(sequence: number): { entries: FeedEntry[]; upTo: number } | undefined
  stop(): void
}

/** Keeps what is committed from now on until it is asked for. `onMore` is called at each commit. */
export function followFeedTail(feed: Replica['feed'], onMore: () => void): FeedTail {
  let entries: FeedEntry[] = []
  let bytes = 0
  /** Memory has everything behind this sequence, up to `upTo`. */
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
