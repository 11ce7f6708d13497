/** The only reader of the wall clock inside a node. */
export interface Clock {
  /** Seconds since the epoch, with millisecond fraction. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() / 1000 }
