/** Converts CSV rows to points, by named columns. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { usageError } from '../../../framework/exit.js'
import { chooseColumn, columnNamed, proposeClock, proposeTime, proposeValue, type TableHead } from '../../../terminal/input/csv/columns.js'
import type { CsvFormat } from '../../../terminal/input/csv/options.js'
import type { CsvRow } from '../../../../server/base/csvReader.js'
import { cellReaders, cellsProblem, type CellReaders, type CsvTable } from '../../../terminal/input/csv/table.js'
import { cellAsWritten } from '../../../terminal/output/csv.js'
import type { Terminal } from '../../../terminal/terminal.js'
import { valueOf } from './about.js'
import type { SeriesDetails } from './about.js'
import { lineError } from './send.js'
import type { PointLine } from './send.js'

/** Columns of the point fields. */
interface PointColumns {
  timeColumn: string | undefined
  clockColumn: string | undefined
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
  lines: AsyncGenerator<PointLine[], void>
  /** The formats and columns in use, for people. */
  labels: CellReaders['labels']
}

/**
 * Chooses the columns of a table, and returns a reader of its rows. Skipped rows are left out.
 * @param terminal asks for columns; absent without a terminal for prompts
 * @throws CommandError 2 when the header lacks a column; 1 at the first unreadable line, with its number
 */
export async function readCsvPoints(
  table: CsvTable,
  about: Pick<SeriesDetails, 'shape'>,
  columns: PointColumns,
  csv: CsvFormat,
  terminal?: Terminal,
): Promise<PointRows> {
  const found = table.head.names
  const written = found.map(cellAsWritten)
  // Files of other programs may contain literal apostrophes.
  const isOwn = written.every((name, index) => (index === 0 ? name === 'deltaTime' : about.shape.has(name)))
  const head = { names: isOwn ? written : found, rows: table.head.rows }
  const { names } = head
  const timeAt = await timeColumnOf(head, columns, terminal)
  const isDelta = columns.delta || names[timeAt] === 'deltaTime'
  const clockAt = columns.clockColumn === undefined ? (isDelta ? undefined : proposeClock(head, timeAt)) : columnNamed(names, columns.clockColumn)
  const times = clockAt === undefined ? [timeAt] : [timeAt, clockAt]
  const at = await fieldColumns(head, times, about, columns.column, terminal)
  const numbers = [...at].flatMap(([field, index]) => (about.shape.get(field)?.kind === 'number' ? [index] : []))
  const readers = cellReaders(table, csv, { time: timeAt, clock: clockAt, numbers: isDelta ? [...numbers, timeAt] : numbers, isPlainTime: isDelta })
  const isMs = csv.dates === 'ms'
  const read = rowReader(about, { names, timeAt, isDelta, isMs, at, isOwn, readers, skipEmpty: columns.skipEmpty })
  async function* lines(): AsyncGenerator<PointLine[], void> {
    for await (const some of table.rows) yield* readable(some, read)
  }
  const used = new Set([...times, ...at.values()])
  return {
    fields: [isDelta ? 'deltaTime' : 'timestamp', ...at.keys()],
    unused: names.filter((_, index) => !used.has(index)),
    lines: lines(),
    labels: readers.labels,
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

function timeColumnOf(head: TableHead, { timeColumn }: PointColumns, terminal: Terminal | undefined): number | Promise<number> {
  if (timeColumn !== undefined) return columnNamed(head.names, timeColumn)
  const found = ['deltaTime', 'timestamp'].map((name) => head.names.indexOf(name)).find((index) => index >= 0)
  return found ?? chooseColumn(terminal, head, proposeTime(head), { what: 'the time', missing: '--time-column <column>' })
}

/**
 * Returns the columns of fields: the given ones, else those with the same name; for a single value any other column.
 */
async function fieldColumns(
  head: TableHead,
  times: readonly number[],
  { shape }: Pick<SeriesDetails, 'shape'>,
  given: readonly string[],
  terminal: Terminal | undefined,
): Promise<Map<string, number>> {
  const { names } = head
  const at = new Map<string, number>()
  for (const word of given) {
    const [field = '', ...rest] = word.split('=')
    const column = rest.join('=')
    if (rest.length === 0) throw usageError(`--column takes <field>=<column>, not ${JSON.stringify(word)}`)
    if (!shape.has(field)) throw usageError(`The series has no field ${JSON.stringify(field)}`, `Fields: ${[...shape.keys()].join(', ')}`)
    at.set(field, columnNamed(names, column))
  }
  for (const field of shape.keys()) if (!at.has(field) && names.includes(field)) at.set(field, names.indexOf(field))
  for (const [field, { isRequired, kind }] of shape) {
    if (!isRequired || at.has(field)) continue
    const used = new Set([...times, ...at.values()])
    const others = names.map((_, index) => index).filter((index) => !used.has(index))
    // Of several fields, only the names tell which is which.
    const proposal = shape.size === 1 ? proposeValue(head, used, kind !== 'number') : { candidates: others }
    at.set(field, await chooseColumn(terminal, head, proposal, { what: field, missing: `--column ${field}=<column>` }))
  }
  return at
}

interface RowFormat {
  names: readonly string[]
  timeAt: number
  isDelta: boolean
  /** True when relative times are in milliseconds. */
  isMs: boolean
  at: ReadonlyMap<string, number>
  /** True for a table written by `coffer series export`. */
  isOwn: boolean
  readers: CellReaders
  skipEmpty: boolean
}

/** Returns a function that converts a row to a point, or to none for a skipped row. */
function rowReader({ shape }: Pick<SeriesDetails, 'shape'>, format: RowFormat): (row: CsvRow) => PointLine[] {
  const { names, timeAt, at, isOwn, readers, skipEmpty } = format
  const needed = [...at].filter(([field]) => shape.get(field)?.takesNull === false).map(([, index]) => index)
  return (row) => {
    const { line, cells } = row
    const why = cellsProblem(row, names)
    if (why !== undefined) throw lineError(line, why)
    if (skipEmpty && [timeAt, ...needed].some((index) => cells[index]?.trim() === '')) return []
    const values: unknown[] = [timeOf(line, cells, format)]
    for (const [field, index] of at) {
      const about = shape.get(field)
      if (about === undefined) continue
      try {
        const cell = cells[index] ?? ''
        values.push(valueOf(isOwn ? cellAsWritten(cell) : cell, about, readers.number))
      } catch (error) {
        throw lineError(line, `${field}: ${errorMessage(error)}`)
      }
    }
    return [{ line, cells: values }]
  }
}

function timeOf(line: number, cells: readonly string[], { readers, isDelta, isMs }: RowFormat): number {
  const cell = readers.timeCell(cells)
  const number = isDelta ? readers.number(cell) : undefined
  const time = isDelta ? (number === undefined ? undefined : isMs ? number / 1000 : number) : readers.time(cell)
  if (time === undefined) throw lineError(line, `${JSON.stringify(cell)} is not a time.`)
  return time
}
