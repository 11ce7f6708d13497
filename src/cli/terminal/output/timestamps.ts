/**
 * Times in tables and lines. On a terminal, a time of the last or the next 24 hours is relative, another a local date with minutes;
 * in a pipe, times are ISO 8601 with the offset of this machine. Under `--json` they stay the numbers of the API.
 */
import { systemClock } from '../../../server/base/clock.js'
import { span, when } from './format.js'

const DAY = 86_400
/** Farthest point in time of `Date`, in seconds. */
const MAX_TIME = 8.64e12

/** Formats a time in a table, from seconds since the epoch: `3 min ago`, `2026-11-21 10:02`, or ISO 8601 in a pipe. */
export function timeCell(seconds: number, isTerminal: boolean, now = systemClock.now()): string {
  if (!isTerminal) return isoTime(seconds)
  const age = now - seconds
  if (Math.abs(age) < 5) return 'just now'
  if (age > 0 && age < DAY) return `${pastSpan(age)} ago`
  if (age < 0 && age > -DAY) return `in ${span(-age)}`
  return when(seconds).slice(0, 16)
}

/** Formats an age in whole units, rounded down: `59 s`, `1 min`, `23 h`. */
function pastSpan(age: number): string {
  if (age < 60) return `${Math.floor(age)} s`
  return age < 3600 ? `${Math.floor(age / 60)} min` : `${Math.floor(age / 3600)} h`
}

/**
 * Formats a time in a line that stays on the screen while others follow: local time with seconds on a terminal, ISO 8601 in a
 * pipe. `seconds` is since the epoch.
 */
export const timeInLine = (seconds: number, isTerminal: boolean): string => (isTerminal ? when(seconds) : isoTime(seconds))

/**
 * Formats seconds since the epoch as ISO 8601 with the offset of this machine: `2026-11-21T10:02:03+01:00`, with milliseconds
 * unless they are zero. Times beyond those of `Date` are returned as numbers.
 */
export function isoTime(seconds: number): string {
  if (!(Math.abs(seconds) < MAX_TIME - DAY)) return String(seconds)
  const ms = Math.round(seconds * 1000)
  // Offsets before standard time have seconds, which ISO 8601 cannot express.
  const east = Math.round(-new Date(ms).getTimezoneOffset())
  const wall = new Date(ms + east * 60_000).toISOString().replace(/(\.000)?Z$/, '')
  const minutes = Math.abs(east)
  return `${wall}${east < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Converts a time in milliseconds, as some methods return it, to seconds; undefined for other values. */
export const secondsOf = (milliseconds: unknown): number | undefined => (typeof milliseconds === 'number' ? milliseconds / 1000 : undefined)

const two = (n: number): string => String(n).padStart(2, '0')
