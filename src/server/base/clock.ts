/** The only reader of the wall clock inside a node. */
export interface Clock {
  /** Seconds since the epoch, with millisecond fraction. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() / 1000 }

/** A clock that follows the commits of a store. */
export interface CommitClock extends Clock {
  /** From now on times are later than all that were told before: what bears those is about to be read. */
  groupClosed(): void
}

/** A clock that was set back by more than this many seconds was wrong before: its new time counts. */
const MAX_HOLD_SIZE = 1
const MICROSECONDS = 1e6

/**
 * The times of `source`, in an order that commits keep: what is stamped after a group of changes was closed is later
 * than all that is in it, by a microsecond if the clock has not moved. Clients ask for what was modified after the latest
 * time that they have seen, so that an equal time in a later commit would stay unseen for good.
 */
export function followCommits(source: Clock): CommitClock {
  let floor = -Infinity
  let latest = -Infinity
  return {
    now() {
      const time = source.now()
      const isHeld = time <= floor && floor - time < MAX_HOLD_SIZE
      const described = isHeld ? (Math.round(floor * MICROSECONDS) + 1) / MICROSECONDS : time
      latest = latest - described < MAX_HOLD_SIZE ? Math.max(latest, described) : described
      return described
    },
    groupClosed() {
      floor = latest
    },
  }
}
