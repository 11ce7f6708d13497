/** Reads a pasted table: a time and values in each line. */
import { detectDelimiter } from '../../../base/csvDelimiter.js'
import { createCsvReader } from '../../../base/csvReader.js'
import type { Language } from '../../../base/words.js'
import { secondsOf } from '../../times.js'
import { memberField, readContent, readNumber, type ContentForm, type SimpleField } from './contentForm.js'

/** Maximum number of lines of a table. */
export const MAX_ROWS = 1000
const MAX_CELLS = 50

export type RowProblem = 'time' | 'ambiguous' | 'value' | 'columns' | 'quotes'

export interface TableRow {
  /** Number of its first line, from 1. */
  line: number
  text: string
  /** Present in a valid row. */
  values?: { time: number; content: unknown; description?: string }
  problem?: RowProblem
}

export interface Table {
  rows: TableRow[]
  /** True if the first line names the columns. */
  hasHeading: boolean
  /** True if lines beyond the limit were left out. */
  isShortened: boolean
}

interface TableReader {
  language: Language
  timeZone: string
}

/** Reads the rows of a table, as a spreadsheet copies or saves it. */
export function readTable(text: string, form: ContentForm, reader: TableReader): Table {
  const whole = text.replace(/\r\n?/g, '\n')
  const csv = createCsvReader(detectDelimiter(whole, true, '\t'))
  const found = [...csv.feed(whole), ...csv.end()].filter(({ cells, problem }) => problem !== undefined || cells.some((cell) => cell.trim() !== ''))
  const lines = whole.split('\n')
  const rows = found.slice(0, MAX_ROWS + 1).map((row, at): TableRow => {
    // Cells in quotes may contain line breaks.
    const end = found[at + 1]?.line ?? lines.length + 1
    const text = lines.slice(row.line - 1, end - 1).join('\n').trimEnd()
    return { line: row.line, text, ...(row.problem === undefined ? readRow(row.cells.slice(0, MAX_CELLS), form, reader) : { problem: 'quotes' }) }
  })
  const [first] = rows
  const hasHeading = first?.problem === 'time' && rows.length > 1 && !/\d/.test(first.text)
  const listed = rows.slice(hasHeading ? 1 : 0)
  return { rows: listed.slice(0, MAX_ROWS), hasHeading, isShortened: listed.length > MAX_ROWS || found.length > MAX_ROWS + 1 }
}

function readRow(cells: readonly string[], form: ContentForm, reader: TableReader): Pick<TableRow, 'values' | 'problem'> {
  const [date = '', second = ''] = cells.map((cell) => cell.trim())
  // A column of dates may be followed by one of times of day.
  const hasClock = /^\d{1,2}:\d{2}(:\d{2})?$/.test(second)
  const time = readTime(hasClock ? `${date} ${second}` : date, reader)
  if (typeof time === 'string') return { problem: time }
  const rest = cells.slice(hasClock ? 2 : 1)
  const content = readCells(rest, form)
  if (typeof content === 'string') return { problem: content }
  const description = rest[content.used]?.trim() ?? ''
  return { values: { time, content: content.value, ...(description === '' ? {} : { description }) } }
}

/** Reads the content from cells; `used` is their number. */
function readCells(cells: readonly string[], form: ContentForm): { value: unknown; used: number } | 'value' | 'columns' {
  if (form.kind === 'none') return { value: null, used: 0 }
  const fields = new URLSearchParams()
  const names = form.kind === 'object' ? form.members.map((member) => ({ field: member as SimpleField, name: memberField(member.name) })) : [{ field: fieldOf(form), name: 'content' }]
  if (cells.length === 0) return 'columns'
  for (const [at, { field, name }] of names.entries()) fields.set(name, plainCell(cells[at] ?? '', field))
  const { content, problems } = readContent(form, fields)
  return problems.size > 0 ? 'value' : { value: content, used: names.length }
}

const fieldOf = (form: ContentForm): SimpleField => (form.kind === 'simple' ? form.field : { kind: form.kind === 'rating' ? 'number' : 'text' })

const YES = /^(true|yes|y|1|oui|o|ja|j|x)$/i
const NO = /^(false|no|n|0|non|nein|-)$/i

/** Returns the text of a cell as the field of a form would have it. */
function plainCell(cell: string, { kind }: SimpleField): string {
  if (kind !== 'boolean') return kind === 'number' && readNumber(cell) === undefined ? cell.replace(/[^\d.,eE+-]+$/, '') : cell
  return YES.test(cell.trim()) ? 'true' : NO.test(cell.trim()) ? 'false' : ''
}

const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(.*))?$/
const DOTS = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?:[ ,]+(.*))?$/
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:[ ,]+(.*))?$/
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,3})?\d*)?\s*(Z|[+-]\d{2}:?\d{2})?$/i
/** Time of day of a date without one: it stays the same day in most time zones. */
const NOON = '12:00'

/** Reads a time: ISO 8601, `27.11.2026 14:05`, `27/11/2026`, or seconds since 1970. A date alone is at noon. */
export function readTime(text: string, { language, timeZone }: TableReader): number | 'time' | 'ambiguous' {
  const trimmed = text.trim()
  if (/^\d{9,10}(\.\d+)?$/.test(trimmed)) return Number(trimmed)
  const [, year, month, day, clock] = ISO.exec(trimmed) ?? []
  if (year !== undefined && month !== undefined && day !== undefined) return atClock([year, month, day], clock, timeZone)
  const dots = DOTS.exec(trimmed)
  if (dots !== null) return atClock([dots[3] ?? '', dots[2] ?? '', dots[1] ?? ''], dots[4], timeZone)
  const [, one, two, slashYear, slashClock] = SLASHES.exec(trimmed) ?? []
  if (one === undefined || two === undefined || slashYear === undefined) return 'time'
  const isMonthFirst = language === 'en' && Number(two) > 12
  // In English, 3/4 is a day of March or of April.
  if (language === 'en' && Number(one) <= 12 && Number(two) <= 12 && one !== two) return 'ambiguous'
  return atClock(isMonthFirst ? [slashYear, one, two] : [slashYear, two, one], slashClock, timeZone)
}

function atClock([year, month, day]: readonly [string, string, string], clock: string | undefined, timeZone: string): number | 'time' {
  const [, hour, minute, second = '00', fraction = '', zone] = CLOCK.exec(clock?.trim() ?? NOON) ?? []
  if (hour === undefined || minute === undefined) return 'time'
  const two = (part: string): string => part.padStart(2, '0')
  const local = `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${fraction}`
  if (zone === undefined) return secondsOf(local, timeZone) ?? 'time'
  if (secondsOf(local, 'UTC') === undefined) return 'time'
  const at = Date.parse(`${local}${zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(/^(...):?(..)$/, '$1:$2')}`)
  return Number.isNaN(at) ? 'time' : at / 1000
}
