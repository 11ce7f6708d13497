/** Source of the time; nothing else in a node reads the wall clock. */
export interface Clock {
  /** Seconds since the epoch, with millisecond fraction. */
  now(): number
}

/** Returns the time in whole milliseconds since the epoch. */
export const millisecondsNow = (clock: Clock): number => Math.floor(clock.now() * 1000)

export const systemClock: Clock = { now: () => Date.now() / 1000 }

/** A clock that follows the commits of a store. */
interface CommitClock extends Clock {
  /** Makes later times greater than all returned before; called when a group of changes is about to become readable. */
  groupClosed(): void
}

/** Seconds by which the clock may go back before the change counts as a correction and the new time is used. */
const MAX_BACKWARD_SECONDS = 1
const MICROSECONDS = 1e6

/**
 * Returns a clock whose times increase with the commits: a time read after a group was closed exceeds all times within
 * it, by a microsecond if the wall clock has not moved. Clients poll for changes after the latest time seen, so an equal
 * time in a later commit would be missed.
 */
export function followCommits(source: Clock): CommitClock {
  let floor = -Infinity
  let latest = -Infinity
  return {
    now() {
      const time = source.now()
      const isHeld = time <= floor && floor - time < MAX_BACKWARD_SECONDS
      const stamp = isHeld ? (Math.round(floor * MICROSECONDS) + 1) / MICROSECONDS : time
      latest = latest - stamp < MAX_BACKWARD_SECONDS ? Math.max(latest, stamp) : stamp
      return stamp
    },
    groupClosed() {
      floor = latest
    },
  }
}
