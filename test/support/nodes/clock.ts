/** A clock that stands still until it is told. */
import type { Clock } from '../../../src/server/base/clock.js'

export interface FakeClock extends Clock {
  /** Lets this many seconds pass. */
  pass(seconds: number): void
}

/** A clock that begins at a moment, in seconds. */
export function fakeClock(start = 1_700_000_000): FakeClock {
  let now = start
  return {
    now: () => now,
    pass(seconds) {
      now += seconds
    },
  }
}
