/**
 * Index of period events by the magnitude of their duration. Finds the periods in progress at a time without reading
 * those that ended long before: candidates started within that magnitude before the time.
 */

/** The bucket of running periods: in progress from their start on. */
export const RUNNING = 'run'

/** Returns the bucket of a duration in seconds: durations up to 2^n seconds, for the smallest such n. */
export function durationBucket(duration: number | null): string {
  if (duration === null) return RUNNING
  let n = Math.max(-20, Math.ceil(Math.log2(duration)))
  // The logarithm of a duration just above a power of two rounds down to the power.
  if (2 ** n < duration) n += 1
  return String(n + 100)
}

/** Returns the longest duration of a bucket, in seconds. */
function longestOf(magnitude: string): number {
  return magnitude === RUNNING ? Infinity : 2 ** (Number(magnitude) - 100)
}

/**
 * Returns a lower bound on the start of periods of a bucket that are in progress at `time`, in seconds. Allows for
 * rounding of the sum of a time and a duration.
 */
export function earliestPossibleStart(magnitude: string, time: number): number {
  const maxLength = longestOf(magnitude)
  return time - maxLength - (Math.abs(time) + maxLength) * 2 ** -50
}
