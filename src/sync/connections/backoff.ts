/** Waiting longer and longer for what does not answer. */

const FIRST_S = 1
const MAX_S = 300

export interface Backoff {
  /** Seconds to wait before the next attempt: twice as long as the last time, less up to half of it by chance. */
  next(): number
  /** Begins with short waits again. */
  reset(): void
}

/** @param random numbers from 0 to 1, 1 left out: nodes that lost one another at one moment do not all come back at one. */
export function createBackoff(random: () => number): Backoff {
  let attempts = 0
  return {
    next() {
      // Beyond ten doublings the most is reached anyway.
      const whole = Math.min(MAX_S, FIRST_S * 2 ** Math.min(attempts, 10))
      attempts += 1
      return whole * (1 - random() / 2)
    },
    reset() {
      attempts = 0
    },
  }
}
