/** Dates and times of cells: the formats, and their detection. */
import { usageError } from '../../../framework/exit.js'
import { readIsoTime } from '../time.js'
import type { Zone } from '../timeZone.js'
import { hasTimeOfDay, patternReader } from './datePattern.js'
import type { NumberReader } from './csvNumber.js'

/**
 * A format: ISO 8601 or seconds (`iso`), numbers of seconds or milliseconds since 1970, days since 1900 as
 * spreadsheets count them (`excel`), or a pattern.
 */
export type DateFormat = 'iso' | 's' | 'ms' | 'excel' | { pattern: string }

/** Returns seconds since 1970; undefined for other texts. */
export type TimeReader = (cell: string) => number | undefined

/** Parses the value of `--date-format`. @throws CommandError 2 for other words */
export function dateFormatNamed(word: string): DateFormat {
  if (word === 'iso' || word === 's' || word === 'ms' || word === 'excel') return word
  patternReader(word)
  return { pattern: word }
}

/**
 * Creates a reader of cells. Numbers are seconds, except in the formats `ms` and `excel`, and all but patterns accept
 * ISO 8601 too.
 */
export function timeReader(format: DateFormat, zone: Zone, readNumber: NumberReader): TimeReader {
  if (typeof format === 'object') {
    const read = patternReader(format.pattern)
    return (cell) => {
      const found = read(cell.trim())
      if (found === undefined) return undefined
      const { wallMs, offsetMs } = found
      return (offsetMs === undefined ? zone.toEpoch(wallMs) : wallMs - offsetMs) / 1000
    }
  }
  return (cell) => {
    const word = cell.trim()
    const number = readNumber(word)
    if (number === undefined) return readIsoTime(word, zone.toEpoch)
    if (format === 'excel') return excelTime(number, zone)
    return format === 'ms' ? number / 1000 : number
  }
}

const DAY_MS = 86_400_000
/** Number of 1970-01-01 in spreadsheets. */
const EXCEL_1970 = 25_569
const EXCEL_2100 = 73_051
/** The day before counts 1900-02-29, which did not exist. */
const EXCEL_MIN = 61

function excelTime(days: number, zone: Zone): number | undefined {
  if (days < EXCEL_MIN || days > 2_958_466) return undefined
  return zone.toEpoch(Math.round((days - EXCEL_1970) * DAY_MS)) / 1000
}

/** Describes a format: `dates dd.MM.yyyy HH:mm (Europe/Zurich)`. `usesZone` is true when times without offset occur. */
export function dateLabel(format: DateFormat, zone: Zone, usesZone: boolean): string {
  const where = usesZone ? ` (${zone.name})` : ''
  if (format === 's') return 'times in seconds since 1970'
  if (format === 'ms') return 'times in milliseconds since 1970'
  if (format === 'excel') return `dates as Excel numbers${where}`
  return format === 'iso' ? `dates ISO 8601${where}` : `dates ${format.pattern}${where}`
}

const DATE = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:(T|,?\s+)(\d{1,2})([:.h])(\d{2})(?:\7(\d{2})(?:[.,]\d+)?)?(\s?[ap]\.?\s?m\.?)?(\s?(?:z|[+-]\d\d(?::?\d\d)?))?)?$/i

/** Checks for the form of a date or of a date and time; not for numbers. */
export const looksLikeDate = (cell: string): boolean => DATE.test(cell.trim())

/** Checks for a time of day alone: `7:30`, `07:30:15 pm`. */
export const looksLikeClock = (cell: string): boolean => /^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?(\s?[ap]\.?m\.?)?$/i.test(cell.trim())

/** Checks for a date without a time of day. */
export const hasNoClock = (cell: string): boolean => DATE.exec(cell.trim())?.[5] === undefined

/** Checks whether any cell states a time without offset. */
export function needsZone(format: DateFormat, cells: readonly string[]): boolean {
  if (format === 's' || format === 'ms') return false
  if (format === 'excel') return true
  return cells.some((cell) => looksLikeDate(cell) && !/(z|[+-]\d\d(:?\d\d)?)$/i.test(cell.trim().slice(10)))
}

interface Shape {
  separator: string
  /** Texts before the hour, and between hour and minute; none without a time of day. */
  clock: { before: string; between: string } | undefined
  hasSeconds: boolean
  half: string | undefined
  parts: readonly [string, string, string]
}

function shapeOf(cell: string): Shape | undefined {
  const found = DATE.exec(cell)
  if (found === null) return undefined
  const [, first = '', separator = '', second = '', third = '', before, hour, between = ':', , seconds, half] = found
  return {
    separator,
    clock: hour === undefined ? undefined : { before: before === 'T' ? 'T' : (before ?? ' ').replace(/\s+/, ' '), between },
    hasSeconds: seconds !== undefined,
    half,
    parts: [first, second, third],
  }
}

/**
 * Detects the format of the cells of a time column. Most of the cells decide; others are refused when they are read.
 * @param column named in errors
 * @throws CommandError 2 when no cell is a time, or the order of day and month is ambiguous
 */
export function detectDates(cells: readonly string[], column: string, readNumber: NumberReader): DateFormat {
  const words = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  const shapes = words.flatMap((word) => (isIso(word) ? [] : (shapeOf(word) ?? [])))
  const isoCount = words.filter(isIso).length
  const numbers = words.flatMap((word) => readNumber(word) ?? [])
  if (shapes.length > isoCount + numbers.length) return { pattern: patternOf(shapes, column, words) }
  if (words.length > 0 && isoCount + numbers.length === 0) throw noDates(column, words)
  if (numbers.length <= isoCount) return 'iso'
  // As seconds these are years after 5000; as milliseconds from 1973 on.
  if (numbers.every((number) => number >= 1e11)) return 'ms'
  // As seconds these are hours of the first of January 1970.
  return numbers.every((number) => number >= EXCEL_1970 && number <= EXCEL_2100) ? 'excel' : 's'
}

const isIso = (word: string): boolean => /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i.test(word)

function patternOf(shapes: readonly Shape[], column: string, words: readonly string[]): string {
  const separator = mostFrequent(shapes.map((shape) => shape.separator))
  const same = shapes.filter((shape) => shape.separator === separator)
  const timed = same.find(({ clock }) => clock !== undefined)
  const half = same.find((shape) => shape.half !== undefined)?.half
  const date = datePart(same, separator, column, words)
  if (timed?.clock === undefined) return date
  const { before, between } = timed.clock
  const sign = between === 'h' ? "'h'" : between
  const seconds = same.some(({ hasSeconds }) => hasSeconds) ? `${sign}ss` : ''
  const hour = half === undefined ? 'HH' : 'hh'
  return `${date}${before === 'T' ? "'T'" : before}${hour}${sign}mm${seconds}${half === undefined ? '' : ' a'}`
}

function datePart(shapes: readonly Shape[], separator: string, column: string, words: readonly string[]): string {
  if (shapes.some(({ parts }) => parts[0].length > 2)) return ['yyyy', 'MM', 'dd'].join(separator)
  const year = shapes.some(({ parts }) => parts[2].length === 4) ? 'yyyy' : 'yy'
  const [dayFirst, monthFirst] = [['dd', 'MM', year].join(separator), ['MM', 'dd', year].join(separator)]
  const max = (index: 0 | 1): number => Math.max(...shapes.map(({ parts }) => Number(parts[index])))
  const [first, second] = [max(0), max(1)]
  if (first > 31) return ['yy', 'MM', 'dd'].join(separator)
  if (first > 12 && second <= 12) return dayFirst
  if (second > 12 && first <= 12) return monthFirst
  // Dates with full stops begin with the day.
  if (separator === '.' && first <= 12) return dayFirst
  const example = words.find((word) => looksLikeDate(word)) ?? ''
  const why = first > 12 ? 'some have a day first, others a month' : `${JSON.stringify(example)} may begin with the day or with the month`
  throw usageError(
    `The dates in column ${column} are ambiguous: ${why}; --date-format <format> is missing`,
    `Day first: --date-format '${dayFirst}'\nMonth first: --date-format '${monthFirst}'`,
  )
}

function mostFrequent(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

const noDates = (column: string, words: readonly string[]): Error =>
  usageError(
    `The times in column ${column} are in an unknown format: ${words.slice(0, 2).map((word) => JSON.stringify(word.slice(0, 60))).join(', ')}`,
    "Name the format: --date-format 'dd.MM.yyyy HH:mm', or another column: --time-column <column>",
  )

/** Returns the format for dates that a time of day follows, from another column. */
export function withClock(format: DateFormat): DateFormat {
  if (typeof format !== 'object' || hasTimeOfDay(format.pattern)) return format
  return { pattern: `${format.pattern} HH:mm` }
}
