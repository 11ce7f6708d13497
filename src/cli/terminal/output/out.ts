/** Output of a command in the requested form: for people, for pipes, as ids, or as JSON. */
import type { Terminal } from '../terminal.js'
import type { OutputFilter, ResultKind } from './filters/outputFilter.js'
import { jsonDocument, jsonTextLine, printable } from './text.js'
import { startJsonProgress, startProgress } from './progress.js'
import type { Progress } from './progress.js'
import { alignedTable, tabbedTable } from './table.js'
import { timeInLine } from './timestamps.js'
import type { Column } from './table.js'

interface Listing<Row> {
  columns: ReadonlyArray<Column<Row>>
  rows: readonly Row[]
  /** Returns the id that `--quiet` prints, one per line. */
  id(row: Row): string
  /** The last line for people, on stderr: "3 accounts". */
  count?: string
}

export interface Output {
  /** True for JSON, filtered or not. */
  readonly json: boolean
  readonly quiet: boolean
  /** Prints a result: `document` under `--json`, `id` under `--quiet`, else the output of `print`. */
  result(document: unknown, about: { id?: string; print: () => void | Promise<void> }): Promise<void>
  /** Prints a JSON document regardless of the form. */
  document(value: unknown): Promise<void>
  /** Prints a list: `document` under `--json`, else a table. */
  list<Row>(document: unknown, listing: Listing<Row>): Promise<void>
  /** Prints one item of a stream as a line of JSON on stdout, regardless of the form. */
  item(value: unknown): Promise<void>
  /** Prints items like `item`, from their JSON texts. */
  items(texts: readonly string[]): Promise<void>
  /** Prints a line on stdout, without control and format characters. */
  line(text: string): Promise<void>
  /** Writes raw data to stdout, for files and programs; on a terminal like `line`. */
  data(text: string): Promise<void>
  /** Formats seconds since the epoch for a line on stdout: local time on a terminal, ISO 8601 in a pipe. */
  time(seconds: number): string
  /** Prints on stderr, for people only: silent under `--json` and `--quiet`. */
  note(text: string): void
  /** `✔ …`, like `note`. */
  done(text: string): void
  /** `! …`, like `note`. */
  warn(text: string): void
  /**
   * Shows a bar on the terminal, or lines of JSON for commands with `jsonLines`; `advance` it, `end` it. `words` formats
   * amounts.
   */
  progress(label: string, total?: number, words?: (n: number) => string): Progress
}

interface OutputForm {
  json: boolean
  quiet: boolean
  /** As declared by the command. */
  jsonLines?: boolean
  /** Filter of JSON; implies `json`. */
  filter?: OutputFilter | undefined
}

/** Creates the output of one command. */
export function outputTo(terminal: Terminal, { json: asked, quiet, jsonLines = false, filter }: OutputForm): Output {
  const json = asked || filter !== undefined
  const filtered = async (to: OutputFilter, text: string, kind: ResultKind): Promise<void> => {
    const { text: printed, messages = [], failure } = await to.apply(text, kind, terminal.outIsTerminal)
    if (printed !== '') await terminal.write(printed)
    for (const message of messages) terminal.writeStderr(`${printable(message)}\n`)
    if (failure !== undefined) throw failure
  }
  const document = (value: unknown, kind: ResultKind): Promise<void> =>
    filter === undefined ? terminal.write(jsonDocument(value, terminal.outIsTerminal)) : filtered(filter, jsonDocument(value, false), kind)
  const items = async (texts: readonly string[]): Promise<void> => {
    if (filter === undefined) return texts.length === 0 ? undefined : terminal.write(texts.map(jsonTextLine).join(''))
    const parts = filter.takesLines === true && texts.length > 0 ? [texts.join('\n')] : texts
    for (const part of parts) await filtered(filter, part, 'line')
  }
  const lines = async (all: readonly string[]): Promise<void> => {
    for (const line of all) await terminal.write(`${line}\n`)
  }
  // Ids are for programs and printed unchanged.
  const idLines = (ids: readonly string[]): Promise<void> => lines(terminal.outIsTerminal ? ids.map(printable) : ids)
  const note = (text: string): void => {
    if (!json && !quiet) terminal.writeStderr(`${printable(text)}\n`)
  }
  const marked = (mark: string, text: string): void => {
    if (!json && !quiet) terminal.writeStderr(`${mark} ${printable(text)}\n`)
  }
  return {
    json,
    quiet,
    result: async (value, { id, print }) => {
      if (json) await document(value, 'result')
      else if (!quiet) await print()
      else if (id !== undefined) await idLines([id])
    },
    list: async (value, { columns, rows, id, count }) => {
      if (json) return document(value, 'list')
      if (quiet) return idLines(rows.map(id))
      if (!terminal.outIsTerminal) await lines(tabbedTable(columns, rows))
      else if (rows.length > 0) {
        const [header = '', ...body] = alignedTable(columns, rows, terminal.width)
        await lines([terminal.paintOut.bold(header), ...body])
      }
      if (count !== undefined) note(count)
    },
    document: (value) => document(value, listKind(value)),
    item: (value) => items([JSON.stringify(value)]),
    items,
    line: (text) => lines([printable(text)]),
    data: (text) => terminal.write(terminal.outIsTerminal ? printable(text) : text),
    time: (seconds) => timeInLine(seconds, terminal.outIsTerminal),
    note,
    done: (text) => marked(terminal.paintErr.green('✔'), text),
    warn: (text) => marked(terminal.paintErr.yellow('!'), text),
    progress: (label, total, words) =>
      json && jsonLines ? startJsonProgress((text) => items([text]), label, total) : startProgress(terminal, label, total, !json && !quiet, words),
  }
}

/** Treats the result of a method as a list if it has lists only, as those of `get` methods. */
const listKind = (value: unknown): ResultKind =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0 && Object.values(value).every(Array.isArray) ? 'list' : 'result'
