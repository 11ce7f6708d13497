/** Clock that only a test advances. */
import type { Clock } from '../../../src/server/base/clock.js'

export interface FakeClock extends Clock {
  /** Advances the clock by seconds. */
  pass(seconds: number): void
}

/** Creates a clock with a start time, in seconds. */
export function fakeClock(start = 1_700_000_000): FakeClock {
  let now = start
  return {
    now: () => now,
    pass(seconds) {
      now += seconds
    },
  }
}
