/** Determines the format of a file to import from its name and the options. */
import { extname } from 'node:path'
import { usageError } from '../../../framework/exit.js'
import { optionName } from '../../../framework/option.js'
import { readCsvEvents } from './csvEvents.js'
import type { Columns } from './csvEvents.js'
import type { EventIds } from './eventId.js'
import type { ImportLine } from './line.js'
import { readNdjson } from './ndjson.js'

/** Options about the format of the file. */
export interface FormatOptions {
  format: 'ndjson' | 'csv' | undefined
  stream: readonly string[]
  type: string | undefined
  timeColumn: string | undefined
  timeUnit: 's' | 'ms' | undefined
  valueColumn: string | undefined
  contentColumn: string | undefined
  streamColumn: string | undefined
  typeColumn: string | undefined
  idColumn: string | undefined
  delimiter: string | undefined
  skipEmpty: boolean
}

/** Reads the lines of a file from blocks of its text. */
type ReadLines = (blocks: AsyncIterable<string>, ids: EventIds) => AsyncGenerator<ImportLine[]>

const byExtension: Readonly<Record<string, 'ndjson' | 'csv'>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
}

const csvOptions = [
  'timeColumn',
  'timeUnit',
  'valueColumn',
  'contentColumn',
  'streamColumn',
  'typeColumn',
  'idColumn',
  'delimiter',
  'skipEmpty',
] as const

/**
 * Returns the line reader of a file.
 * @throws CommandError 2 when the options do not fit the format or each other
 */
export function linesReader(file: string, options: FormatOptions): ReadLines {
  const extension = extname(file).toLowerCase()
  const format = options.format ?? byExtension[extension]
  if (format === undefined) throw usageError(`The format of ${file} is unknown; --format <ndjson|csv> is missing`)
  if (format === 'csv') {
    const columns = columnsOf(options, extension === '.tsv' ? '\t' : ',')
    return (blocks, ids) => readCsvEvents(blocks, ids, columns)
  }
  const csvOnly = csvOptions.find((key) => options[key] !== undefined && options[key] !== false)
  if (csvOnly !== undefined) throw usageError(`--${optionName(csvOnly)} is for CSV, and ${file} is NDJSON`)
  return (blocks, ids) => readNdjson(blocks, ids, { streamIds: options.stream, type: options.type })
}

function columnsOf(options: FormatOptions, defaultDelimiter: string): Columns {
  const { timeColumn, valueColumn, contentColumn, streamColumn, typeColumn, idColumn, stream, type } = options
  if (timeColumn === undefined) throw usageError('--time-column <column> is missing')
  const content = contentColumn ?? valueColumn
  if (content === undefined) throw usageError('--value-column <column> or --content-column <column> is missing')
  if (valueColumn !== undefined && contentColumn !== undefined) {
    throw usageError('--value-column and --content-column exclude each other')
  }
  if (stream.length === 0 && streamColumn === undefined) {
    throw usageError('--stream <id> or --stream-column <column> is missing')
  }
  if (type === undefined && typeColumn === undefined) {
    throw usageError('--type <class/format> or --type-column <column> is missing')
  }
  return {
    delimiter: delimiterOf(options.delimiter ?? defaultDelimiter),
    timeColumn,
    timeUnit: options.timeUnit ?? 's',
    contentColumn: content,
    isJson: contentColumn !== undefined,
    streamColumn,
    typeColumn,
    idColumn,
    streamIds: stream,
    type,
    skipEmpty: options.skipEmpty,
  }
}

/**
 * Parses the delimiter of cells.
 * @throws CommandError 2 when it is not a single character or `tab`
 */
export function delimiterOf(word: string): string {
  const sign = word === 'tab' || word === '\\t' ? '\t' : word
  if (sign.length === 1 && !'"\r\n'.includes(sign)) return sign
  throw usageError(`--delimiter <sign> takes one character or the word tab, not ${JSON.stringify(word)}`)
}
