/** Opens a file to import: determines its format from its name, its first lines and the options. */
import { extname } from 'node:path'
import { usageError } from '../../../framework/exit.js'
import { optionName } from '../../../framework/option.js'
import { contentKind } from '../../../terminal/input/content.js'
import { chooseColumn, columnNamed, columnsHint, proposeClock, proposeTime, proposeValue, type TableHead } from '../../../terminal/input/csv/columns.js'
import { csvFormatOf, type CsvOptions } from '../../../terminal/input/csv/options.js'
import { cellReaders, formatLine, openTable } from '../../../terminal/input/csv/table.js'
import { encodingLabel } from '../../../terminal/input/textEncoding.js'
import { openTextFile } from '../../../terminal/input/textFile.js'
import type { Zone } from '../../../terminal/input/timeZone.js'
import { EVENT_COLUMNS } from '../../../terminal/output/csv.js'
import type { Terminal } from '../../../terminal/terminal.js'
import { readCsvEvents, type Columns } from './csvEvents.js'
import type { EventIds } from './eventId.js'
import type { ImportLine } from './line.js'
import { readNdjson } from './ndjson.js'

/** Options about the format of the file. */
export interface FormatOptions extends CsvOptions {
  format: 'ndjson' | 'csv' | undefined
  stream: readonly string[]
  type: string | undefined
  timeColumn: string | undefined
  clockColumn: string | undefined
  valueColumn: string | undefined
  contentColumn: string | undefined
  streamColumn: string | undefined
  typeColumn: string | undefined
  idColumn: string | undefined
  skipEmpty: boolean
}

/** Input and output while a file is opened. */
interface OpenContext {
  ids: EventIds
  /** Receives the number of bytes that were read. */
  onBytes?(count: number): void
  /** Prints a line for people. */
  note?(text: string): void
  /** Prompts for columns; absent without a terminal for prompts. */
  terminal?: Terminal
}

interface OpenedLines {
  lines: AsyncGenerator<ImportLine[], void>
  /** Zone of times without an offset. */
  zone: Zone
}

const byExtension: Readonly<Record<string, 'ndjson' | 'csv'>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
}

const csvOnly = [
  'timeColumn',
  'clockColumn',
  'valueColumn',
  'contentColumn',
  'streamColumn',
  'typeColumn',
  'idColumn',
  'delimiter',
  'decimal',
  'dateFormat',
  'timeUnit',
  'timezone',
  'skipEmpty',
] as const

/**
 * Reads the begin of a file, and returns a reader of its lines.
 * @throws CommandError 2 when the file, the options and the header do not fit each other, 130 when a prompt is cancelled
 */
export async function openLines(file: string, pieces: AsyncIterable<unknown>, options: FormatOptions, context: OpenContext): Promise<OpenedLines> {
  const csv = csvFormatOf(options)
  if (options.valueColumn !== undefined && options.contentColumn !== undefined) {
    throw usageError('--value-column and --content-column exclude each other')
  }
  const note = context.note ?? (() => undefined)
  const text = await openTextFile(file, pieces, {
    encoding: csv.encoding,
    onBytes: (count) => context.onBytes?.(count),
    onDecided: (encoding) => note(`Text that is not ASCII is read as ${encodingLabel(encoding)}; --encoding <name> overrides this.`),
  })
  const extension = extname(file).toLowerCase()
  const format = options.format ?? byExtension[extension] ?? formatOf(text.head, file)
  if (format === 'ndjson') {
    const given = csvOnly.find((key) => options[key] !== undefined && options[key] !== false)
    if (given !== undefined) throw usageError(`--${optionName(given)} is for CSV, and ${file} is NDJSON`)
    return { lines: readNdjson(text.blocks, context.ids, { streamIds: options.stream, type: options.type }), zone: csv.zone }
  }
  const table = openTable(text, csv, extension === '.tsv' ? '\t' : ',')
  const columns = await columnsOf(table.head, options, context.terminal)
  const { timeAt, clockAt, contentAt, isJson, isOwn } = columns
  const readers = cellReaders(table, csv, { time: timeAt, clock: clockAt, numbers: isJson ? [] : [contentAt], isPlainTime: isOwn })
  note(formatLine(file, table, text, readers.labels))
  if (!isOwn) note(`  ${columnsLine(table.head, columns, options)}`)
  const lines = readCsvEvents(table.rows, context.ids, { ...columns, ...table.head, readers, streamIds: options.stream, type: options.type, skipEmpty: options.skipEmpty })
  return { lines, zone: csv.zone }
}

/** Distinguishes NDJSON from CSV by the first character. */
function formatOf(head: string, file: string): 'ndjson' | 'csv' {
  const first = head.trimStart()[0]
  if (first === '[') throw usageError(`${file} is a JSON array; lines of JSON are needed`, `Convert it: jq -c '.[]' < ${file} | coffer events import --format ndjson -`)
  return first === '{' ? 'ndjson' : 'csv'
}

async function columnsOf(head: TableHead, options: FormatOptions, terminal: Terminal | undefined): Promise<Columns> {
  const { names } = head
  const isOwn = names.join() === EVENT_COLUMNS.join()
  const given = (name: string | undefined, own: (typeof EVENT_COLUMNS)[number]): number | undefined => {
    if (name !== undefined) return columnNamed(names, name)
    return isOwn ? names.indexOf(own) : undefined
  }
  const streamAt = given(options.streamColumn, 'streams')
  const typeAt = given(options.typeColumn, 'type')
  const idAt = given(options.idColumn, 'id')
  const jsonAt = options.valueColumn === undefined ? given(options.contentColumn, 'content') : undefined
  const valueAt = options.valueColumn === undefined ? undefined : columnNamed(names, options.valueColumn)
  const hint = columnsHint(names)
  if (options.stream.length === 0 && streamAt === undefined) throw usageError('--stream <id> or --stream-column <column> is missing', hint)
  if (options.type === undefined && typeAt === undefined) throw usageError('--type <class/format> or --type-column <column> is missing', hint)
  const timeAt =
    given(options.timeColumn, 'time') ??
    (await chooseColumn(terminal, head, proposeTime(head), { what: 'the time', missing: '--time-column <column>' }))
  const clockAt = options.clockColumn === undefined ? proposeClock(head, timeAt) : columnNamed(names, options.clockColumn)
  const used = new Set([timeAt, clockAt, streamAt, typeAt, idAt].filter((at) => at !== undefined))
  const isText = options.type !== undefined && contentKind(options.type) === 'text'
  const contentAt =
    jsonAt ??
    valueAt ??
    (await chooseColumn(terminal, head, proposeValue(head, used, isText), { what: 'the value', missing: '--value-column <column> or --content-column <column>' }))
  return { timeAt, clockAt, contentAt, isJson: jsonAt !== undefined, streamAt, typeAt, idAt, isOwn }
}

/** Describes the columns in use: `Time from "Datum", value from "Gewicht (kg)".` */
function columnsLine({ names }: TableHead, { timeAt, clockAt, contentAt }: Columns, options: FormatOptions): string {
  const quoted = (at: number): string => JSON.stringify(names[at] ?? '')
  const clock = clockAt === undefined ? '' : ` and ${quoted(clockAt)}`
  const isGiven = options.timeColumn !== undefined && (options.valueColumn ?? options.contentColumn) !== undefined
  return `Time from ${quoted(timeAt)}${clock}, value from ${quoted(contentAt)}${isGiven ? '' : '; others: --time-column, --value-column'}`
}
