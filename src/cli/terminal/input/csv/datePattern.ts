/** Patterns of dates, such as `dd.MM.yyyy HH:mm`. */
import { usageError } from '../../../framework/exit.js'
import { utcTime } from '../timeZone.js'

/** A date and time without zone in milliseconds as if it were UTC, and its offset in milliseconds if it states one. */
interface WallTime {
  wallMs: number
  offsetMs?: number
}

type Field = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction' | 'half'

const TOKEN = /y+|Y+|M+|d+|D+|H+|h+|m+|s+|S+|a+|'[^']*'|[^A-Za-z']/g
const DIGITS: Partial<Record<Field, string>> = { month: '\\d{1,2}', day: '\\d{1,2}', hour: '\\d{1,2}', minute: '\\d{2}', second: '\\d{2}', fraction: '\\d+', half: '[AaPp]\\.?\\s?[Mm]\\.?' }
const DATE_FIELDS: ReadonlySet<Field> = new Set(['year', 'month', 'day'])

interface Part {
  field?: Field
  text: string
}

/**
 * Creates a reader of a pattern: yyyy or yy, MM, dd, HH or hh with a for AM and PM, mm, ss, SSS; quoted text is literal.
 * Leading zeros, the time of day, seconds and an offset (`Z`, `+01:00`) may be missing or present.
 * @throws CommandError 2 for other patterns
 */
export function patternReader(pattern: string): (word: string) => WallTime | undefined {
  const parts = partsOf(pattern)
  const regex = new RegExp(`^${sourceOf(parts, pattern)}$`)
  return (word) => {
    const found = regex.exec(word)?.groups
    return found === undefined ? undefined : wallTime(found)
  }
}

/** Checks whether a pattern has a time of day. */
export const hasTimeOfDay = (pattern: string): boolean => partsOf(pattern).some(({ field }) => field === 'hour')

function partsOf(pattern: string): Part[] {
  const tokens = pattern.match(TOKEN) ?? []
  if (tokens.join('') !== pattern) throw badPattern(pattern)
  // In `dd.mm.yyyy` the minutes are meant as months.
  const monthAt = tokens.some((token) => token.startsWith('M')) ? -1 : tokens.findIndex((token) => token.startsWith('m'))
  return tokens.map((token, index) => {
    const field = index === monthAt ? 'month' : fieldOf(token, pattern)
    return field === undefined ? { text: token.replace(/^'(.*)'$/, '$1') } : { field, text: token }
  })
}

function fieldOf(token: string, pattern: string): Field | undefined {
  switch (token[0]) {
    case 'y':
    case 'Y':
      if (token.length !== 2 && token.length !== 4) throw badPattern(pattern)
      return 'year'
    case 'M':
      if (token.length > 2) throw badPattern(pattern)
      return 'month'
    case 'd':
    case 'D':
      if (token.length > 2) throw badPattern(pattern)
      return 'day'
    case 'H':
    case 'h':
      return 'hour'
    case 'm':
      return 'minute'
    case 's':
      return 'second'
    case 'S':
      return 'fraction'
    case 'a':
      return 'half'
    default:
      return undefined
  }
}

function sourceOf(parts: readonly Part[], pattern: string): string {
  const fields = parts.flatMap(({ field }) => field ?? [])
  const isComplete = [...DATE_FIELDS].every((field) => fields.includes(field)) && new Set(fields).size === fields.length
  if (!isComplete || (fields.includes('hour') && !fields.includes('minute'))) throw badPattern(pattern)
  const hourAt = parts.findIndex(({ field }) => field === 'hour')
  if (hourAt < 0) return parts.map(partSource).join('')
  const offset = '(?:\\s?(?<offset>[Zz]|[+-]\\d\\d:?\\d\\d))?'
  const isLast = !parts.slice(hourAt).some(({ field }) => field !== undefined && DATE_FIELDS.has(field))
  const source = (some: readonly Part[]): string => some.map((part, index) => timeSource(part, some[index - 1], fields)).join('')
  if (!isLast) return `${source(parts)}${offset}`
  // The text before the hour belongs to the optional time of day.
  const begin = parts[hourAt - 1]?.field === undefined && hourAt > 0 ? hourAt - 1 : hourAt
  return `${source(parts.slice(0, begin))}(?:${source(parts.slice(begin))}${offset})?`
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function partSource({ field, text }: Part): string {
  if (field === undefined) return /^\s+$/.test(text) ? '\\s+' : escaped(text)
  if (field === 'year') return text.length === 2 ? '(?<year>\\d{2}|\\d{4})' : '(?<year>\\d{4})'
  return `(?<${field}>${DIGITS[field] ?? ''})`
}

/** Makes seconds and fractions optional, with the sign before them. */
function timeSource(part: Part, before: Part | undefined, fields: readonly Field[]): string {
  const { field } = part
  if (field === 'minute') {
    if (fields.includes('second')) return partSource(part)
    return `${partSource(part)}(?:[:.](?<second>\\d{2})(?:[.,](?<fraction>\\d+))?)?`
  }
  if (field === 'second') return fields.includes('fraction') ? partSource(part) : `${partSource(part)}(?:[.,](?<fraction>\\d+))?`
  if (field === 'half') return `${partSource(part)}`
  // Spaces before AM may be missing.
  if (field === undefined && before?.field !== undefined && /^\s+$/.test(part.text) && !DATE_FIELDS.has(before.field)) return '\\s*'
  return partSource(part)
}

function wallTime(found: Record<string, string | undefined>): WallTime | undefined {
  const number = (field: Field): number => Number(found[field] ?? 0)
  const year = found['year']?.length === 2 ? fullYear(number('year')) : number('year')
  const [month, day, minute, second] = [number('month'), number('day'), number('minute'), number('second')]
  const hour = hourOf(number('hour'), found['half'])
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  const isReal = month >= 1 && month <= 12 && day >= 1 && day <= lastDay && hour <= 23 && minute <= 59 && second <= 59
  if (!isReal) return undefined
  const wallMs = utcTime(year, month, day, hour, minute, second) + (found['fraction'] === undefined ? 0 : Number(`0.${found['fraction']}`) * 1000)
  const offsetMs = found['offset'] === undefined ? undefined : offsetOf(found['offset'])
  return { wallMs, ...(offsetMs === undefined ? {} : { offsetMs }) }
}

/** As POSIX does: 70 to 99 are of the last century. */
const fullYear = (year: number): number => (year < 70 ? 2000 : 1900) + year

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return NaN
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

function offsetOf(word: string): number {
  if (/^z$/i.test(word)) return 0
  const minutes = Number(word.slice(1, 3)) * 60 + Number(word.slice(-2))
  return (word.startsWith('-') ? -1 : 1) * minutes * 60_000
}

const badPattern = (pattern: string): Error =>
  usageError(`--date-format takes a pattern such as 'dd.MM.yyyy HH:mm' or 'MM/dd/yyyy hh:mm a', or iso, s, ms or excel, not ${JSON.stringify(pattern)}`)
