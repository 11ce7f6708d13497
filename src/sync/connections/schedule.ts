/** When a node makes its next contact with a peer. */
import type { Backoff } from './backoff.js'

/** How long a contact lasts that is good whatever it brought: the two nodes reached one another. */
const GOOD_AFTER_S = 60

export interface Tried {
  /** Seconds. */
  began: number
  ended: number
  /** Whether the nodes had anything of it: they compared, or something was given or taken. */
  wasOfUse: boolean
}

/**
 * Seconds from the end of a contact, or of an attempt at one, until the next.
 * @param every seconds from one contact to the next; undefined: the nodes are to stay connected.
 */
export function pauseAfter({ began, ended, wasOfUse }: Tried, every: number | undefined, backoff: Backoff): number {
  const isGood = wasOfUse || ended - began >= GOOD_AFTER_S
  if (isGood) backoff.reset()
  if (every === undefined) return backoff.next()
  return isGood ? Math.max(0, began + every - ended) : Math.min(every, backoff.next())
}
