/** Converts CSV rows to points, by named columns. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { usageError } from '../../../framework/exit.js'
import { createCsvReader } from '../../../terminal/input/csv.js'
import type { CsvRow } from '../../../terminal/input/csv.js'
import { readNumber } from '../../../terminal/input/number.js'
import { unreadable } from '../../../terminal/input/textBlocks.js'
import { readIsoTime } from '../../../terminal/input/time.js'
import { cellAsWritten } from '../../../terminal/output/csv.js'
import { valueOf } from './about.js'
import type { SeriesDetails } from './about.js'
import { lineError } from './send.js'
import type { PointLine } from './send.js'

/** Columns of the point fields. */
interface PointColumns {
  delimiter: string
  timeColumn: string | undefined
  timeUnit: 's' | 'ms'
  /** True when the times are relative to the event, whatever the name of their column. */
  delta: boolean
  /** `<field>=<column>` */
  column: readonly string[]
  /** True when incomplete rows are skipped instead of refused. */
  skipEmpty: boolean
}

interface PointRows {
  /** Fields of the points as the node takes them: the time first. */
  fields: string[]
  /** Columns of the file that match no field. */
  unused: string[]
  lines: AsyncGenerator<PointLine[]>
}

/**
 * Reads the header of text blocks, and returns a reader of the following rows. Skipped rows are left out.
 * @throws CommandError 2 when the header lacks a column; 1 at the first unreadable line, with its number
 */
export async function readCsvPoints(
  blocks: AsyncIterable<string>,
  about: Pick<SeriesDetails, 'shape'>,
  columns: PointColumns,
): Promise<PointRows> {
  const rows = rowsOf(blocks, columns.delimiter)
  let firstRows: CsvRow[] = []
  while (firstRows.length === 0) {
    const next = await rows.next()
    if (next.done === true) throw usageError('The file is empty; its first line should name the columns')
    firstRows = next.value
  }
  const [header, ...first] = firstRows
  if (header === undefined) throw usageError('The file is empty')
  const problem = header.problem ?? unreadable(header.cells.join(''))
  if (problem !== undefined) throw usageError(`The header on line ${header.line} cannot be read. ${problem}`)
  const found = header.cells.map((cell) => cell.trim())
  const written = found.map(cellAsWritten)
  // Files of other programs may contain literal apostrophes.
  const isOwn = written.every((name, index) => (index === 0 ? name === 'deltaTime' : about.shape.has(name)))
  const names = isOwn ? written : found
  const timeAt = timeColumnOf(names, columns)
  const isDelta = columns.delta || names[timeAt] === 'deltaTime'
  const at = fieldColumns(names, timeAt, about, columns.column)
  const read = rowReader(about, { names, timeAt, isDelta, at, isOwn, ...columns })
  async function* lines(): AsyncGenerator<PointLine[]> {
    yield* readable(first, read)
    for await (const more of rows) yield* readable(more, read)
  }
  const used = new Set([timeAt, ...at.values()])
  return {
    fields: [isDelta ? 'deltaTime' : 'timestamp', ...at.keys()],
    unused: names.filter((_, index) => !used.has(index)),
    lines: lines(),
  }
}

/** Yields the points of rows; those before an unreadable row come before its error. */
function* readable(rows: readonly CsvRow[], read: (row: CsvRow) => PointLine[]): Generator<PointLine[]> {
  const points: PointLine[] = []
  try {
    for (const row of rows) points.push(...read(row))
  } catch (error) {
    yield points
    throw error
  }
  yield points
}

async function* rowsOf(blocks: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRow[]> {
  const reader = createCsvReader(delimiter)
  for await (const block of blocks) yield reader.feed(block)
  yield reader.end()
}

function timeColumnOf(names: readonly string[], { timeColumn }: PointColumns): number {
  const candidates = timeColumn === undefined ? ['deltaTime', 'timestamp'] : [timeColumn]
  const found = candidates.map((name) => names.indexOf(name)).find((index) => index >= 0)
  if (found !== undefined) return found
  if (timeColumn !== undefined) throw noColumn(timeColumn, names)
  throw usageError('No column is named deltaTime or timestamp; --time-column <column> is missing', `Columns: ${names.join(', ')}`)
}

const noColumn = (name: string, names: readonly string[]): Error =>
  usageError(`No column is named ${JSON.stringify(name)}`, `Columns: ${names.join(', ')}`)

/**
 * Returns the columns of fields: the given ones, else those with the same name; for a single value any other column.
 */
function fieldColumns(
  names: readonly string[],
  timeAt: number,
  { shape }: Pick<SeriesDetails, 'shape'>,
  given: readonly string[],
): Map<string, number> {
  const at = new Map<string, number>()
  for (const word of given) {
    const [field = '', ...rest] = word.split('=')
    const column = rest.join('=')
    if (rest.length === 0) throw usageError(`--column takes <field>=<column>, not ${JSON.stringify(word)}`)
    if (!shape.has(field)) throw usageError(`The series has no field ${JSON.stringify(field)}`, `Fields: ${[...shape.keys()].join(', ')}`)
    if (!names.includes(column)) throw noColumn(column, names)
    at.set(field, names.indexOf(column))
  }
  for (const field of shape.keys()) if (!at.has(field) && names.includes(field)) at.set(field, names.indexOf(field))
  const others = names.map((_, index) => index).filter((index) => index !== timeAt)
  if (at.size === 0 && shape.size === 1 && shape.has('value') && others.length === 1) at.set('value', others[0] ?? 0)
  for (const [field, { isRequired }] of shape) {
    if (isRequired && !at.has(field)) {
      throw usageError(`No column is named ${JSON.stringify(field)}; --column ${field}=<column> is missing`, `Columns: ${names.join(', ')}`)
    }
  }
  return at
}

interface RowFormat extends PointColumns {
  names: readonly string[]
  timeAt: number
  isDelta: boolean
  at: ReadonlyMap<string, number>
  /** True for a table written by `coffer series export`. */
  isOwn: boolean
}

/** Returns a function that converts a row to a point, or to none for a skipped row. */
function rowReader({ shape }: Pick<SeriesDetails, 'shape'>, format: RowFormat): (row: CsvRow) => PointLine[] {
  const { names, timeAt, isDelta, at, isOwn, timeUnit, skipEmpty } = format
  const needed = [...at].filter(([field]) => shape.get(field)?.takesNull === false).map(([, index]) => index)
  return ({ line, cells, problem }) => {
    const why = problem ?? unreadable(cells.join(''))
    if (why !== undefined) throw lineError(line, why)
    if (cells.length !== names.length) {
      throw lineError(line, `The line has ${cells.length} cells, and the header ${names.length}.`)
    }
    if (skipEmpty && [timeAt, ...needed].some((index) => cells[index]?.trim() === '')) return []
    const values: unknown[] = [timeOf(line, cells[timeAt] ?? '', isDelta, timeUnit)]
    for (const [field, index] of at) {
      const about = shape.get(field)
      if (about === undefined) continue
      try {
        const cell = cells[index] ?? ''
        values.push(valueOf(isOwn ? cellAsWritten(cell) : cell, about, readNumber))
      } catch (error) {
        throw lineError(line, `${field}: ${errorMessage(error)}`)
      }
    }
    return [{ line, cells: values }]
  }
}

function timeOf(line: number, cell: string, isDelta: boolean, unit: 's' | 'ms'): number {
  const word = cell.trim()
  const number = readNumber(word)
  const time = number === undefined ? (isDelta ? undefined : readIsoTime(word)) : unit === 'ms' ? number / 1000 : number
  if (time === undefined) throw lineError(line, `${JSON.stringify(cell)} is not a time.`)
  return time
}
