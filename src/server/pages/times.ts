/** Formats times in the language and the time zone of the reader. */
import type { Language } from '../base/words.js'
import type { Visit } from './page.js'

/** The reader of a page. */
export type Reader = Pick<Visit, 'language' | 'timeZone'>

const DAY = 86_400

const STEPS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', 3600],
  ['minute', 60],
] as const

interface Formats {
  day: Intl.DateTimeFormat
  time: Intl.DateTimeFormat
  clock: Intl.DateTimeFormat
}

const relativeFormats = new Map<Language, Intl.RelativeTimeFormat>()
const formats = new Map<string, Formats>()
/** Limit of the memory for formats: there are about 600 time zones. */
const MAX_FORMATS = 200

function relativeFormat(language: Language): Intl.RelativeTimeFormat {
  const known = relativeFormats.get(language)
  if (known !== undefined) return known
  const created = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  relativeFormats.set(language, created)
  return created
}

function formatsOf({ language, timeZone }: Reader): Formats {
  const name = `${language} ${timeZone}`
  let format = formats.get(name)
  if (format === undefined) {
    const day = { year: 'numeric', month: 'short', day: 'numeric', timeZone } as const
    format = {
      day: new Intl.DateTimeFormat(language, day),
      // A known zone is that of the reader and needs no name.
      time: new Intl.DateTimeFormat(language, { ...day, hour: 'numeric', minute: '2-digit', ...(timeZone === 'UTC' ? { timeZoneName: 'short' } : {}) }),
      clock: new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', timeZone }),
    }
    if (formats.size >= MAX_FORMATS) formats.clear()
    formats.set(name, format)
  }
  return format
}

/** Returns a time zone of the IANA database by the name that a browser sent, else UTC. */
export function timeZoneOf(sent: string | undefined): string {
  if (sent === undefined || sent.length > 60 || !/^[A-Za-z0-9/_+-]+$/.test(sent)) return 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: sent }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

/** Converts a time in seconds; undefined outside the range of `Date`, which clients may exceed. */
const dateOf = (time: number): Date | undefined => {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const DATE = /^([1-9]\d{3}|0[1-9]\d\d)-(\d\d)-(\d\d)$/
const zoneFormats = new Map<string, Intl.DateTimeFormat>()

/** Returns the wall clock of a time zone at an instant, as if it were UTC; both in milliseconds. */
function wallClock(instant: number, timeZone: string): number {
  let format = zoneFormats.get(timeZone)
  if (format === undefined) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
    format = new Intl.DateTimeFormat('en-US', { ...fields, hourCycle: 'h23', timeZone })
    if (zoneFormats.size >= MAX_FORMATS) zoneFormats.clear()
    zoneFormats.set(timeZone, format)
  }
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** Returns the first instant of a day whose midnight in UTC is `midnight`; clocks may change at that time. In milliseconds. */
function dayStart(midnight: number, timeZone: string): number {
  const candidates = [midnight - DAY * 1000, midnight + DAY * 1000].map((near) => midnight - (wallClock(near, timeZone) - near))
  return Math.min(...candidates.filter((instant) => wallClock(instant, timeZone) >= midnight))
}

/**
 * Returns the bounds of a day (`2026-11-27`) in a time zone, in seconds: its first instant, and that of the next day. Undefined for
 * text that is no date from the year 100 on.
 */
export function dayBounds(text: string, timeZone: string): { from: number; to: number } | undefined {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return undefined
  const midnight = Date.UTC(year, month - 1, day)
  if (new Date(midnight).toISOString().slice(0, 10) !== text) return undefined
  return { from: dayStart(midnight, timeZone) / 1000, to: dayStart(midnight + DAY * 1000, timeZone) / 1000 }
}

/** Returns the date of a time in seconds as in `<input type="date">`: `2026-11-27`; undefined outside the range of `Date`. */
export function dateInput(time: number, timeZone: string): string | undefined {
  const date = dateOf(time)
  return date === undefined ? undefined : new Date(wallClock(date.getTime(), timeZone)).toISOString().slice(0, 10)
}

/** Formats the distance of a time from now, both in seconds: `3 hours ago`, `in 2 days`. */
export function distance(time: number, now: number, language: Language): string {
  const relative = relativeFormat(language)
  const seconds = time - now
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? (['minute', 60] as const)
  return relative.format(Math.trunc(seconds / size), unit)
}

/** Formats the day of a time in seconds: `Nov 21, 2026`. */
export function dayText(time: number, reader: Reader): string {
  const date = dateOf(time)
  return date === undefined ? String(time) : formatsOf(reader).day.format(date)
}

/** Formats a time in seconds to the minute, with the time zone if it is UTC. */
export function timeText(time: number, reader: Reader): string {
  const date = dateOf(time)
  return date === undefined ? String(time) : formatsOf(reader).time.format(date)
}

/** Formats the time of day of a time in seconds: `14:05`. */
export function clockText(time: number, reader: Reader): string {
  const date = dateOf(time)
  return date === undefined ? '' : formatsOf(reader).clock.format(date)
}

/** Formats a time in seconds for `<time datetime>`; empty outside the range of `Date`. */
export const machineTime = (time: number): string => dateOf(time)?.toISOString() ?? ''
