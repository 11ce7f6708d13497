/** Exponential backoff between attempts. */

const FIRST_S = 1
const MAX_S = 300

export interface Backoff {
  /** Returns the seconds until the next attempt: twice the previous delay, reduced by a random part of up to half. */
  next(): number
  /** Restarts with the shortest delay. */
  reset(): void
}

/**
 * Creates a backoff.
 * @param random numbers in [0, 1), so that nodes that lost a peer at the same time do not all reconnect at once.
 */
export function createBackoff(random: () => number): Backoff {
  let attempts = 0
  return {
    next() {
      // Ten doublings reach the maximum.
      const whole = Math.min(MAX_S, FIRST_S * 2 ** Math.min(attempts, 10))
      attempts += 1
      return whole * (1 - random() / 2)
    },
    reset() {
      attempts = 0
    },
  }
}
