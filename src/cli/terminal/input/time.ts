/** Parses typed points in time. */
import { systemClock } from '../../../server/base/clock.js'
import { readDuration, text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'
import { readNumber } from './number.js'
import { utcTime } from './timeZone.js'

const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Parses an ISO 8601 date, or date and time separated by `T` or a space, to seconds since the epoch; without zone in local
 * time. Undefined for other texts and invalid dates.
 * @param toEpoch converts wall times of another zone, both in milliseconds
 */
export function readIsoTime(word: string, toEpoch?: (wallMs: number) => number): number | undefined {
  const found = iso.exec(word)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => Number(part ?? 0))
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const isReal = month >= 1 && month <= 12 && day >= 1 && day <= lastDay && hour <= 23 && minute <= 59 && second <= 59
  const offset = offsetOf(found[8])
  if (!isReal || offset === undefined) return undefined
  const fraction = found[7] === undefined ? 0 : Number(`0.${found[7]}`)
  if (offset === 'local' && toEpoch !== undefined) return toEpoch(utcTime(year, month, day, hour, minute, second)) / 1000 + fraction
  const date = new Date(0)
  if (offset === 'local') {
    date.setFullYear(year, month - 1, day)
    date.setHours(hour, minute, second, 0)
  } else {
    date.setUTCFullYear(year, month - 1, day)
    date.setUTCHours(hour, minute - offset, second, 0)
  }
  return date.getTime() / 1000 + fraction
}

/** Minutes east of Greenwich. */
function offsetOf(zone: string | undefined): number | 'local' | undefined {
  if (zone === undefined) return 'local'
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Parses seconds since the epoch, ISO 8601, `now`, `today` or `yesterday` (local midnight), `-2h`, `+30m`.
 * @param now seconds since the epoch
 * @throws Error that states what was expected
 */
export function readTime(word: string, now: number): number {
  const seconds = readNumber(word) ?? readIsoTime(word)
  if (seconds !== undefined) return seconds
  if (word === 'now') return now
  if (word === 'today' || word === 'yesterday') {
    const day = new Date(now * 1000)
    day.setHours(0, 0, 0, 0)
    if (word === 'yesterday') day.setDate(day.getDate() - 1)
    return day.getTime() / 1000
  }
  const relative = /^([+-])(.*[a-z])$/.exec(word)
  try {
    if (relative !== null) return now + (relative[1] === '-' ? -1 : 1) * readDuration(relative[2] ?? '')
  } catch {
    // Reported below, with all forms.
  }
  throw new Error('a time: seconds, 2026-11-21T10:00, today, yesterday, -2h or -7d')
}

/** Creates an option that takes a point in time. */
export function timeOption(summary: string): Parameter<number | undefined> {
  return {
    ...text(summary),
    placeholder: 'time',
    read: (words) => {
      const word = words?.[words.length - 1]
      return word === undefined ? undefined : readTime(word, systemClock.now())
    },
  }
}
