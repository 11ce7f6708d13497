/**
 * Formats times for the owner's page in the reader's language. The reader's time zone is unknown, so times are in UTC.
 */
import type { Language } from '../../base/words.js'

const DAY = 86_400

const STEPS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', 3600],
  ['minute', 60],
] as const

interface Formats {
  relative: Intl.RelativeTimeFormat
  day: Intl.DateTimeFormat
  time: Intl.DateTimeFormat
}

const formats = new Map<Language, Formats>()

function formatsOf(language: Language): Formats {
  let format = formats.get(language)
  if (format === undefined) {
    const day = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const
    format = {
      relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
      day: new Intl.DateTimeFormat(language, day),
      time: new Intl.DateTimeFormat(language, { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }),
    }
    formats.set(language, format)
  }
  return format
}

/** Converts a time in seconds; undefined outside the range of `Date`, which clients may exceed. */
const dateOf = (time: number): Date | undefined => {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Formats the distance of a time from now, both in seconds: `3 hours ago`, `in 2 days`. */
export function distance(time: number, now: number, language: Language): string {
  const { relative } = formatsOf(language)
  const seconds = time - now
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? (['minute', 60] as const)
  return relative.format(Math.trunc(seconds / size), unit)
}

/** Formats the day of a time in seconds: `Nov 21, 2026`. */
export function dayText(time: number, language: Language): string {
  const date = dateOf(time)
  return date === undefined ? String(time) : formatsOf(language).day.format(date)
}

/** Formats a time in seconds to the minute, with the time zone. */
export function timeText(time: number, language: Language): string {
  const date = dateOf(time)
  return date === undefined ? String(time) : formatsOf(language).time.format(date)
}

/** Formats a time in seconds for `<time datetime>`; empty outside the range of `Date`. */
export const machineTime = (time: number): string => dateOf(time)?.toISOString() ?? ''
