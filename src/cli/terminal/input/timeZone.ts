/** Time zones of the IANA database: converts wall times to points in time. */
import { usageError } from '../../framework/exit.js'

export interface Zone {
  /** `Europe/Zurich` */
  readonly name: string
  /**
   * Converts a wall time, in milliseconds as if it were UTC, to milliseconds since 1970. A time that occurs twice means
   * the first one; a time that is skipped is taken with the offset before the change, as `Date` does.
   */
  toEpoch(wallMs: number): number
  /** Returns milliseconds east of UTC at a point in time. */
  offsetAt(epochMs: number): number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MAX_DAYS = 1000

/** Creates a zone. @throws RangeError for an unknown name */
function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })

  function offsetAt(epochMs: number): number {
    const parts: Record<string, string> = {}
    for (const { type, value } of format.formatToParts(epochMs)) parts[type] = value
    const number = (type: string): number => Number(parts[type])
    const year = parts['era']?.startsWith('B') === true ? 1 - number('year') : number('year')
    const wall = utcTime(year, number('month'), number('day'), number('hour'), number('minute'), number('second'))
    return wall - Math.floor(epochMs / 1000) * 1000
  }

  /** Offsets before and after each day; equal ones, except around a change. */
  const known = new Map<number, readonly [number, number]>()
  function offsetsAround(day: number): readonly [number, number] {
    const found = known.get(day)
    if (found !== undefined) return found
    // Offsets are between -12 h and +14 h.
    const offsets = [offsetAt(day * DAY - 15 * HOUR), offsetAt((day + 1) * DAY + 13 * HOUR)] as const
    if (known.size >= MAX_DAYS) known.clear()
    known.set(day, offsets)
    return offsets
  }

  return {
    name,
    offsetAt,
    toEpoch(wallMs) {
      const [before, after] = offsetsAround(Math.floor(wallMs / DAY))
      if (before === after || offsetAt(wallMs - before) === before) return wallMs - before
      return offsetAt(wallMs - after) === after ? wallMs - after : wallMs - before
    },
  }
}

/** Returns milliseconds since 1970 of a UTC date and time; months count from 1, and years below 100 are not shifted. */
export function utcTime(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, 0)
  return date.getTime()
}

/** Returns the zone of this machine. */
export const localZone = (): Zone => createZone(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** Returns a zone by its name. @throws CommandError 2 for an unknown one */
export function zoneNamed(word: string): Zone {
  try {
    return createZone(word)
  } catch {
    throw usageError(`--timezone takes the name of a time zone, such as Europe/Zurich or UTC, not ${JSON.stringify(word)}`)
  }
}

/** Formats a point in time with the offset of a zone: `2025-12-24 07:30:00 +01:00`. */
export function timeIn(zone: Zone, seconds: number): string {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return `${seconds} s`
  const offset = zone.offsetAt(date.getTime())
  const wall = new Date(date.getTime() + offset).toISOString().replace('T', ' ').replace(/(\.000)?Z$/, '')
  const minutes = Math.round(Math.abs(offset) / 60_000)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${wall} ${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
