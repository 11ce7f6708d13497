/**
 * Which period events are still in progress at a moment, without reading those that ended long before or begin after:
 * periods are indexed by the magnitude of their duration, so that the starts to look at lie within that magnitude
 * before the moment.
 */

/** The class of running periods: in progress from their start on. */
export const RUNNING = 'run'

/** The class of a duration in seconds: durations up to 2^n seconds, for the smallest such n. */
export function durationBucket(duration: number | null): string {
  if (duration === null) return RUNNING
  let n = Math.max(-20, Math.ceil(Math.log2(duration)))
  // The logarithm of a duration just above a power of two is rounded down to the power's.
  if (2 ** n < duration) n += 1
  return String(n + 100)
}

/** The longest duration of a class, in seconds. */
function longestOf(magnitude: string): number {
  return magnitude === RUNNING ? Infinity : 2 ** (Number(magnitude) - 100)
}

/**
 * A time before which no period of a class began that is still in progress at `moment`, in seconds. It errs to the safe
 * side by what rounding may make of the sum of a time and a duration.
 */
export function earliestPossibleStart(magnitude: string, time: number): number {
  const maxLength = longestOf(magnitude)
  return time - maxLength - (Math.abs(time) + maxLength) * 2 ** -50
}
