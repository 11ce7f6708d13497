/** A CSV file: its header, its first rows for detection, and all rows. */
import { usageError } from '../../../framework/exit.js'
import { encodingLabel } from '../textEncoding.js'
import type { TextFile } from '../textFile.js'
import { unreadable } from '../textBlocks.js'
import { dateLabel, detectDates, needsZone, timeReader, withClock, type DateFormat, type TimeReader } from './dates.js'
import { detectDelimiter, headRows, statedDelimiter } from '../../../../server/base/csvDelimiter.js'
import { createCsvReader, type CsvRow } from '../../../../server/base/csvReader.js'
import { delimiterLabel } from './delimiter.js'
import { ambiguousNumber, decimalLabel, detectDecimal, numberReader, type Decimal, type NumberReader } from './csvNumber.js'
import type { CsvFormat } from './options.js'
import type { TableHead } from './columns.js'

export interface CsvTable {
  head: TableHead
  delimiter: string
  /** The rows below the header. */
  rows: AsyncGenerator<CsvRow[]>
}

/**
 * Reads the header of a file.
 * @param fallback delimiter of files whose lines have one cell
 * @throws CommandError 2 for an empty file or an unreadable header
 */
export function openTable(text: TextFile, format: Pick<CsvFormat, 'delimiter'>, fallback = ','): CsvTable {
  const stated = statedDelimiter(text.head)
  const body = stated === undefined ? text.head : text.head.slice(text.head.indexOf('\n') + 1 || text.head.length)
  const delimiter = format.delimiter ?? stated ?? detectDelimiter(body, text.isWhole, fallback)
  const [header, ...others] = headRows(body, delimiter, text.isWhole)
  const offset = stated === undefined ? 0 : 1
  if (header === undefined) throw usageError('The file is empty; its first line should name the columns')
  const problem = header.problem ?? unreadable(header.cells.join(''))
  if (problem !== undefined) throw usageError(`The header on line ${header.line + offset} cannot be read. ${problem}`)
  const names = header.cells.map((cell) => cell.trim())
  const rows = others.filter((row) => cellsProblem(row, names) === undefined).map(({ cells }) => cells)
  return { head: { names, rows }, delimiter, rows: rowsOf(text.blocks, delimiter, offset + 1) }
}

async function* rowsOf(blocks: AsyncIterable<string>, delimiter: string, skipped: number): AsyncGenerator<CsvRow[]> {
  const reader = createCsvReader(delimiter)
  let toSkip = skipped
  const below = (rows: CsvRow[]): CsvRow[] => {
    const found = rows.slice(toSkip)
    toSkip -= rows.length - found.length
    return found
  }
  for await (const block of blocks) yield below(reader.feed(block))
  yield below(reader.end())
}

/** Columns whose cells decide about formats. */
interface UsedColumns {
  time: number
  /** Column of the time of day, when it is apart from the date. */
  clock?: number | undefined
  /** Columns that contain numbers. */
  numbers: readonly number[]
  /** True when times are plain numbers, as in files of coffer or relative to an event. */
  isPlainTime?: boolean
}

export interface CellReaders {
  number: NumberReader
  time: TimeReader
  /** Returns the text of the time of a row. */
  timeCell(cells: readonly string[]): string
  /** The formats, for people: `decimal comma`, `dates dd.MM.yyyy (Europe/Zurich)`. */
  labels: { decimal: string | undefined; time: string | undefined }
}

/**
 * Detects the formats of numbers and times, unless they were given.
 * @throws CommandError 2 when cells have several meanings, naming the option that decides
 */
export function cellReaders({ head, delimiter }: CsvTable, format: CsvFormat, used: UsedColumns): CellReaders {
  const { names, rows } = head
  const cellsAt = (at: number): string[] => rows.map((row) => row[at] ?? '')
  const decimal = format.decimal ?? decimalOf(used.numbers, cellsAt, head, delimiter)
  const number = numberReader(decimal, format.decimal !== undefined)
  // Excel numbers with a decimal comma occur even where values are whole.
  const timeNumber = numberReader(decimal)
  const { clock } = used
  const timeCell = (cells: readonly string[]): string => {
    const day = (cells[used.time] ?? '').trim()
    return clock === undefined ? day : `${day} ${(cells[clock] ?? '').trim()}`
  }
  const samples = rows.map(timeCell)
  const dates = datesOf(format, samples, { name: names[used.time] ?? '', hasClock: clock !== undefined, isPlain: used.isPlainTime === true }, timeNumber)
  const labels = {
    decimal: decimal === undefined ? undefined : decimalLabel(decimal),
    time: dates === undefined || rows.length === 0 ? undefined : dateLabel(dates, format.zone, needsZone(dates, samples)),
  }
  return { number, time: timeReader(dates ?? 's', format.zone, timeNumber), timeCell, labels }
}

function decimalOf(columns: readonly number[], cellsAt: (at: number) => string[], { names }: TableHead, delimiter: string): Decimal | undefined {
  const found = detectDecimal(columns.flatMap(cellsAt), delimiter)
  if (found !== 'ambiguous') return found
  const column = columns.find((at) => ambiguousNumber(cellsAt(at)) !== undefined) ?? 0
  const example = ambiguousNumber(cellsAt(column)) ?? ''
  throw usageError(
    `The numbers in column ${names[column] ?? ''} are ambiguous: ${JSON.stringify(example)} may be a fraction or thousands; --decimal <sign> is missing`,
    'A fraction: --decimal comma\nThousands: --decimal point',
  )
}

function datesOf(format: CsvFormat, samples: readonly string[], column: { name: string; hasClock: boolean; isPlain: boolean }, number: NumberReader): DateFormat | undefined {
  if (column.isPlain) return undefined
  const found = format.dates ?? detectDates(samples, column.name, number)
  return column.hasClock ? withClock(found) : found
}

/** Describes the format of a file: `Reading weights.csv: semicolon, decimal comma, Windows-1252, dates dd.MM.yyyy`. */
export function formatLine(file: string, { delimiter }: Pick<CsvTable, 'delimiter'>, { encoding }: Pick<TextFile, 'encoding'>, labels: CellReaders['labels']): string {
  const { decimal, time } = labels
  const words = [delimiterLabel(delimiter), decimal, encodingLabel(encoding), time].filter((word) => word !== undefined)
  return `Reading ${file === '-' ? 'stdin' : file}: ${words.join(', ')}`
}

/** Returns why the cells of a row cannot be used; undefined when they can. Empty cells after the last column are ignored. */
export function cellsProblem({ cells, problem }: CsvRow, names: readonly string[]): string | undefined {
  const why = problem ?? unreadable(cells.join(''))
  if (why !== undefined || cells.length === names.length) return why
  const isPadded = cells.length > names.length && cells.slice(names.length).every((cell) => cell.trim() === '')
  return isPadded ? undefined : `The line has ${cells.length} cells, and the header ${names.length}.`
}
