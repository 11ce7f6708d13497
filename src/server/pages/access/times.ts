/** Times as the owner's page tells them, in the reader's language. Pages do not know the reader's zone: they name UTC. */
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
  let found = formats.get(language)
  if (found === undefined) {
    const day = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const
    found = {
      relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
      day: new Intl.DateTimeFormat(language, day),
      time: new Intl.DateTimeFormat(language, { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }),
    }
    formats.set(language, found)
  }
  return found
}

/** Clients may set times that no calendar knows. */
const dateOf = (time: number): Date | undefined => {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** `3 hours ago`, `in 2 days`: how far a time is from now, both in seconds. */
export function distance(time: number, now: number, language: Language): string {
  const { relative } = formatsOf(language)
  const seconds = time - now
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? (['minute', 60] as const)
  return relative.format(Math.trunc(seconds / size), unit)
}

/** The day of a time in seconds: `Nov 21, 2026`. */
export function dayText(time: number, language: Language): string {
  const date = dateOf(time)
  return date === undefined ? String(time) : formatsOf(language).day.format(date)
}

/** The moment of a time in seconds, to the minute, with its zone. */
export function timeText(time: number, language: Language): string {
  const date = dateOf(time)
  return date === undefined ? String(time) : formatsOf(language).time.format(date)
}

/** For `<time datetime>`. */
export const machineTime = (time: number): string => dateOf(time)?.toISOString() ?? ''
