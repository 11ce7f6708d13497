/** Schedule of contacts with a peer. */
import type { Backoff } from './backoff.js'

/** Seconds after which a contact counts as successful, whatever its result. */
const GOOD_AFTER_S = 60

export interface Tried {
  /** Start and end of the contact, in seconds. */
  began: number
  ended: number
  /** True when the nodes compared digests or exchanged items. */
  wasOfUse: boolean
}

/**
 * Returns the seconds from the end of a contact or attempt to the next.
 * @param every seconds from one contact to the next; undefined for a permanent connection.
 */
export function pauseAfter({ began, ended, wasOfUse }: Tried, every: number | undefined, backoff: Backoff): number {
  const isGood = wasOfUse || ended - began >= GOOD_AFTER_S
  if (isGood) backoff.reset()
  if (every === undefined) return backoff.next()
  return isGood ? Math.max(0, began + every - ended) : Math.min(every, backoff.next())
}
