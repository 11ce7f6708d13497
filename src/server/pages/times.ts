/** Formats times in the language and the time zone of the reader. */
import type { Language } from '../base/words.js'
import type { Visit } from './page.js'

/** The reader of a page. */
type Reader = Pick<Visit, 'language' | 'timeZone'>

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

/** Returns the first instant of a day whose midnight in UTC is `midnight`; clocks may change at that time. In milliseconds. */
function dayStart(midnight: number, timeZone: string): number {
  const candidates = [midnight - DAY * 1000, midnight + DAY * 1000].map((near) => midnight - offsetAt(near, timeZone))
  return Math.min(...candidates.filter((instant) => instant + offsetAt(instant, timeZone) >= midnight))
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

/** Returns the date of a time in seconds in a time zone: `2026-11-27`; undefined outside the range of `Date`. */
export function dateInput(time: number, timeZone: string): string | undefined {
  const date = dateOf(time)
  const wall = date === undefined ? undefined : dateOf((date.getTime() + offsetAt(date.getTime(), timeZone)) / 1000)
  return wall?.toISOString().split('T')[0]
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

const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,3})?)?$/

/** Converts a time in seconds to the value of a `datetime-local` input in a time zone; empty outside of the years 0 to 9999. */
export function localText(time: number, timeZone: string): string {
  const date = dateOf(time)
  if (date === undefined) return ''
  const text = new Date(Math.floor(time) * 1000 + offsetAt(date.getTime(), timeZone)).toISOString().slice(0, 19)
  return LOCAL_TIME.test(text) ? text : ''
}

/**
 * Converts the value of a `datetime-local` input in a time zone to seconds since 1970; undefined for other texts. A time that
 * occurs twice, when clocks go back, is the earlier one; one that clocks skip is as much later as they go forward.
 */
export function secondsOf(text: string, timeZone: string): number | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction = ''] = LOCAL_TIME.exec(text) ?? []
  const wall = Date.parse(`${year ?? ''}-${month ?? ''}-${day ?? ''}T${hour ?? ''}:${minute ?? ''}:${second}${fraction}Z`)
  // `Date` accepts the 31st of shorter months, and 24:00.
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 13) !== `${year ?? ''}-${month ?? ''}-${day ?? ''}T${hour ?? ''}`) return undefined
  const before = wall - offsetAt(wall - DAY * 1000, timeZone)
  const after = wall - offsetAt(wall + DAY * 1000, timeZone)
  const found = [before, after].sort((a, b) => a - b).find((time) => time + offsetAt(time, timeZone) === wall)
  return (found ?? before) / 1000
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>()

/** Returns the offset of a time zone from UTC at a time, both in milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  let format = offsetFormats.get(timeZone)
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', era: 'short' } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts })
    if (offsetFormats.size >= MAX_FORMATS) offsetFormats.clear()
    offsetFormats.set(timeZone, format)
  }
  const found = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const whole = Math.floor(time / 1000) * 1000
  const wall = new Date(0)
  const year = Number(found['year'])
  wall.setUTCFullYear(found['era'] === 'BC' ? 1 - year : year, Number(found['month']) - 1, Number(found['day']))
  return wall.setUTCHours(Number(found['hour']), Number(found['minute']), Number(found['second'])) - whole
}
