/** Converts CSV rows to events, by the positions of their columns. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { readJson } from '../../../../server/call/json/readJson.js'
import { contentKind, readContent } from '../../../terminal/input/content.js'
import type { ContentKind } from '../../../terminal/input/content.js'
import type { CsvRow } from '../../../../server/base/csvReader.js'
import type { CellReaders } from '../../../terminal/input/csv/table.js'
import { cellsProblem } from '../../../terminal/input/csv/table.js'
import { cellAsWritten } from '../../../terminal/output/csv.js'
import type { EventIds } from './eventId.js'
import { badLine } from './line.js'
import type { ImportLine } from './line.js'

/** Positions of the columns of event fields. */
export interface Columns {
  timeAt: number
  clockAt: number | undefined
  contentAt: number
  /** True when the content is JSON for every type. */
  isJson: boolean
  streamAt: number | undefined
  typeAt: number | undefined
  idAt: number | undefined
  /** True for a file of `coffer events export --csv`. */
  isOwn: boolean
}

interface RowFormat extends Columns {
  names: readonly string[]
  readers: CellReaders
  /** Streams of rows that name none. */
  streamIds: readonly string[]
  /** Type of rows that name none. */
  type: string | undefined
  /** True when rows without a value are skipped instead of refused. */
  skipEmpty: boolean
}

/** Yields the events of the rows below the header. */
export async function* readCsvEvents(rows: AsyncIterable<CsvRow[]>, ids: EventIds, format: RowFormat): AsyncGenerator<ImportLine[], void> {
  const read = rowReader(ids, format)
  for await (const some of rows) yield some.map(read)
}

function rowReader(ids: EventIds, format: RowFormat): (row: CsvRow) => ImportLine {
  const { names, readers, timeAt, contentAt, isJson, streamAt, typeAt, idAt } = format
  const readCell = contentReader(isJson, readers)
  const contentName = names[contentAt] ?? ''

  return (row) => {
    const { line } = row
    const why = cellsProblem(row, names)
    if (why !== undefined) return badLine(line, why)
    // Files of other programs may contain literal apostrophes.
    const cells = format.isOwn ? row.cells.map(cellAsWritten) : row.cells
    const cell = (at: number | undefined): string => (at === undefined ? '' : (cells[at] ?? '').trim())
    const written = readers.timeCell(cells)
    const time = readers.time(written)
    if (time === undefined) return badLine(line, `${JSON.stringify(written)} in column ${names[timeAt]} is not a time.`)
    const named = streamsOf(cell(streamAt))
    const streamIds = named.length === 0 ? format.streamIds : named
    if (streamIds.length === 0) return badLine(line, 'The line has no stream.')
    const type = cell(typeAt) || format.type
    if (type === undefined) return badLine(line, 'The line has no type.')
    const word = cells[contentAt] ?? ''
    const isEmpty = word.trim() === ''
    if (isEmpty && format.skipEmpty) return { line, skipped: true }
    // In a JSON column, an empty cell means no content, which some types allow.
    if (isEmpty && !isJson) return badLine(line, `Column ${contentName} is empty.`)
    let content: unknown
    try {
      if (!isEmpty) content = readCell(word, type)
    } catch (error) {
      const expected = errorMessage(error)
      return badLine(line, `${JSON.stringify(word)} in column ${contentName} is not ${expected}.`)
    }
    const id = cell(idAt) === '' ? ids.derived({ streamIds, type, time, content }) : ids.given(cell(idAt), streamIds)
    const event = { id, streamIds, type, time, ...(content === undefined ? {} : { content }) }
    return { line, event, isWhole: false, size: word.length + 200 }
  }
}

/** Returns a reader of content cells; cells of unknown types are numbers. */
function contentReader(isJson: boolean, readers: CellReaders): (word: string, type: string) => unknown {
  const kinds = new Map<string, ContentKind>()
  return (word, type) => {
    let kind = kinds.get(type)
    if (kind === undefined) {
      kind = isJson ? 'json' : (contentKind(type) ?? 'number')
      // Bound the cache: the number of types in a file is unlimited.
      if (kinds.size < 1000) kinds.set(type, kind)
    }
    if (kind === 'number') {
      const value = readers.number(word)
      if (value === undefined) throw new Error('a number')
      return value
    }
    if (kind !== 'json') return readContent(word, kind)
    try {
      return readJson(word)
    } catch {
      throw new Error('JSON')
    }
  }
}

/** Splits stream ids separated by semicolons. */
function streamsOf(cell: string): string[] {
  if (!cell.includes(';')) return cell === '' ? [] : [cell]
  const ids = cell.split(';').map((id) => id.trim())
  return [...new Set(ids)].filter((id) => id !== '')
}
