/** Searches the networks of this machine for the pairing offer of a code. */
import type { Secret } from '../../store/model/secret.js'
import { announcementQuery, announcementsIn, type Announcement } from './announcement.js'
import { openMulticast, type MulticastOptions } from './multicast.js'
import { openLink } from './sealedLink.js'

interface SearchOptions extends MulticastOptions {
  code: Secret<string>
  /** Duration of the search. */
  milliseconds: number
  /** Ends the search early. */
  signal: AbortSignal
}

/** The link that the code opens and the address that announced it, or the number of announcements that it does not open. */
export type SearchResult = { link: string; sender: string } | { link: undefined; tried: number }

/** Times of queries, in milliseconds: the intervals grow as RFC 6762, 5.2 asks. */
const QUERIES_MS = [0, 1000, 3000, 7000]
/** Announcements that are tried: each costs a hash. */
export const MAX_TRIED = 8

/**
 * Tries the announcements in range until one opens, or the time is over.
 * @throws MulticastUnavailable
 */
export async function searchLink({ code, milliseconds, signal, ...network }: SearchOptions): Promise<SearchResult> {
  const found: (Announcement & { sender: string })[] = []
  const seen = new Set<string>()
  let wake = (): void => undefined
  const multicast = await openMulticast(network)
  multicast.listen((packet, sender) => {
    for (const announcement of announcementsIn(packet)) {
      const key = Buffer.concat([announcement.salt, announcement.sealed]).toString('latin1')
      if (seen.has(key) || seen.size >= MAX_TRIED) continue
      seen.add(key)
      found.push({ ...announcement, sender })
      wake()
    }
  })
  let isOver = false
  const over = (): void => {
    isOver = true
    wake()
  }
  signal.addEventListener('abort', over)
  const timers = [
    setTimeout(over, milliseconds),
    ...QUERIES_MS.slice(1).map((at) => setTimeout(() => void multicast.send(announcementQuery()).catch(() => undefined), at)),
  ]
  try {
    await multicast.send(announcementQuery())
    let tried = 0
    for (;;) {
      const next = found[tried]
      if (next !== undefined) {
        const link = await openLink(next, code)
        if (link !== undefined) return { link, sender: next.sender }
        tried += 1
        if (signal.aborted) return { link: undefined, tried }
      } else if (isOver || signal.aborted) return { link: undefined, tried }
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', over)
    await multicast.close()
  }
}
