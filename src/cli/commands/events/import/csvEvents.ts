/** Converts CSV rows to events, by named columns. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { readJson } from '../../../../server/call/json/readJson.js'
import { usageError } from '../../../framework/exit.js'
import { contentKind, readContent } from '../../../terminal/input/content.js'
import type { ContentKind } from '../../../terminal/input/content.js'
import { createCsvReader } from '../../../terminal/input/csv.js'
import type { CsvReader, CsvRow } from '../../../terminal/input/csv.js'
import { readNumber } from '../../../terminal/input/number.js'
import { unreadable } from '../../../terminal/input/textBlocks.js'
import { readIsoTime } from '../../../terminal/input/time.js'
import { cellAsWritten, EVENT_COLUMNS } from '../../../terminal/output/csv.js'
import type { EventIds } from './eventId.js'
import { badLine } from './line.js'
import type { ImportLine } from './line.js'

/** Columns of the event fields. */
export interface Columns {
  delimiter: string
  timeColumn: string
  timeUnit: 's' | 'ms'
  contentColumn: string
  /** True when the content is JSON for every type. */
  isJson: boolean
  streamColumn: string | undefined
  typeColumn: string | undefined
  idColumn: string | undefined
  /** Streams of rows that name none. */
  streamIds: readonly string[]
  /** Type of rows that name none. */
  type: string | undefined
  /** True when rows without a value are skipped instead of refused. */
  skipEmpty: boolean
}

type RowParser = (row: CsvRow) => ImportLine

/**
 * Yields the events of text blocks, whose first row is the header.
 * @throws CommandError 2 when the header lacks a column
 */
export async function* readCsvEvents(
  blocks: AsyncIterable<string>,
  ids: EventIds,
  columns: Columns,
): AsyncGenerator<ImportLine[]> {
  const reader = createCsvReader(columns.delimiter)
  let read: RowParser | undefined
  for await (const rows of rowsOf(blocks, reader)) {
    const [header] = rows
    if (header === undefined) continue
    if (read !== undefined) {
      yield rows.map(read)
      continue
    }
    read = rowReader(header, ids, columns)
    yield rows.slice(1).map(read)
  }
  if (read === undefined) throw usageError('The file is empty; its first line should name the columns')
}

async function* rowsOf(blocks: AsyncIterable<string>, reader: CsvReader): AsyncGenerator<CsvRow[]> {
  for await (const block of blocks) yield reader.feed(block)
  yield reader.end()
}

function rowReader(header: CsvRow, ids: EventIds, columns: Columns): RowParser {
  const problem = header.problem ?? unreadable(header.cells.join(''))
  if (problem !== undefined) throw usageError(`The header on line ${header.line} cannot be read. ${problem}`)
  const names = header.cells.map((cell) => cell.trim())
  // Files of other programs may contain literal apostrophes.
  const isOwn = names.join() === EVENT_COLUMNS.join()
  const timeAt = columnAt(names, columns.timeColumn)
  const contentAt = columnAt(names, columns.contentColumn)
  const streamAt = columns.streamColumn === undefined ? undefined : columnAt(names, columns.streamColumn)
  const typeAt = columns.typeColumn === undefined ? undefined : columnAt(names, columns.typeColumn)
  const idAt = columns.idColumn === undefined ? undefined : columnAt(names, columns.idColumn)
  const readCell = contentReader(columns.isJson)

  return ({ line, cells: found, problem: broken }) => {
    const cells = isOwn ? found.map(cellAsWritten) : found
    const why = broken ?? unreadable(cells.join(''))
    if (why !== undefined) return badLine(line, why)
    if (cells.length !== names.length) {
      return badLine(line, `The line has ${cells.length} cells, and the header ${names.length}.`)
    }
    const cell = (at: number | undefined): string => (at === undefined ? '' : (cells[at] ?? '').trim())
    const time = timeOf(cell(timeAt), columns.timeUnit)
    if (time === undefined) return badLine(line, `${JSON.stringify(cell(timeAt))} in column ${columns.timeColumn} is not a time.`)
    const named = streamsOf(cell(streamAt))
    const streamIds = named.length === 0 ? columns.streamIds : named
    if (streamIds.length === 0) return badLine(line, 'The line has no stream.')
    const type = cell(typeAt) || columns.type
    if (type === undefined) return badLine(line, 'The line has no type.')
    const word = cells[contentAt] ?? ''
    const isEmpty = word.trim() === ''
    if (isEmpty && columns.skipEmpty) return { line, skipped: true }
    // In a JSON column, an empty cell means no content, which some types allow.
    if (isEmpty && !columns.isJson) return badLine(line, `Column ${columns.contentColumn} is empty.`)
    let content: unknown
    try {
      if (!isEmpty) content = readCell(word, type)
    } catch (error) {
      const expected = errorMessage(error)
      return badLine(line, `${JSON.stringify(word)} in column ${columns.contentColumn} is not ${expected}.`)
    }
    const id = cell(idAt) === '' ? ids.derived({ streamIds, type, time, content }) : ids.given(cell(idAt), streamIds)
    const event = { id, streamIds, type, time, ...(content === undefined ? {} : { content }) }
    return { line, event, isWhole: false, size: word.length + 200 }
  }
}

/** Returns a reader of content cells; cells of unknown types are numbers. */
function contentReader(isJson: boolean): (word: string, type: string) => unknown {
  const kinds = new Map<string, ContentKind>()
  return (word, type) => {
    let kind = kinds.get(type)
    if (kind === undefined) {
      kind = isJson ? 'json' : (contentKind(type) ?? 'number')
      // Bound the cache: the number of types in a file is unlimited.
      if (kinds.size < 1000) kinds.set(type, kind)
    }
    if (kind !== 'json') return readContent(word, kind)
    try {
      return readJson(word)
    } catch {
      throw new Error('JSON')
    }
  }
}

function columnAt(names: readonly string[], name: string): number {
  const place = names.indexOf(name)
  if (place < 0) throw usageError(`There is no column ${name}`, `The columns are: ${names.join(', ')}`)
  if (names.includes(name, place + 1)) throw usageError(`Column ${name} exists more than once`)
  return place
}

function timeOf(word: string, unit: 's' | 'ms'): number | undefined {
  const value = readNumber(word)
  if (value === undefined) return readIsoTime(word)
  return unit === 'ms' ? value / 1000 : value
}

/** Splits stream ids separated by semicolons. */
function streamsOf(cell: string): string[] {
  if (!cell.includes(';')) return cell === '' ? [] : [cell]
  const ids = cell.split(';').map((id) => id.trim())
  return [...new Set(ids)].filter((id) => id !== '')
}
