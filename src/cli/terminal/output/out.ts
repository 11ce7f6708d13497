/** Output of a command in the requested form: for people, for pipes, as ids, or as JSON. */
import type { Terminal } from '../terminal.js'
import { jsonDocument, jsonLine, printable } from './text.js'
import { startJsonProgress, startProgress } from './progress.js'
import type { Progress } from './progress.js'
import { alignedTable, tabbedTable } from './table.js'
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
  readonly json: boolean
  readonly quiet: boolean
  /** Prints a result: `document` under `--json`, `id` under `--quiet`, else the output of `print`. */
  result(document: unknown, about: { id?: string; print: () => void | Promise<void> }): Promise<void>
  /** Prints a list: `document` under `--json`, else a table. */
  list<Row>(document: unknown, listing: Listing<Row>): Promise<void>
  /** Prints one item of a stream as a line of JSON on stdout, regardless of the form. */
  item(value: unknown): Promise<void>
  /** Prints a line on stdout, without control and format characters. */
  line(text: string): Promise<void>
  /** Writes raw data to stdout, for files and programs; on a terminal like `line`. */
  data(text: string): Promise<void>
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

/** Creates the output of one command; `jsonLines` as declared by the command. */
export function outputTo(terminal: Terminal, form: { json: boolean; quiet: boolean; jsonLines?: boolean }): Output {
  const { json, quiet, jsonLines = false } = form
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
    result: async (document, { id, print }) => {
      if (json) await terminal.write(jsonDocument(document, terminal.outIsTerminal))
      else if (!quiet) await print()
      else if (id !== undefined) await idLines([id])
    },
    list: async (document, { columns, rows, id, count }) => {
      if (json) return terminal.write(jsonDocument(document, terminal.outIsTerminal))
      if (quiet) return idLines(rows.map(id))
      if (!terminal.outIsTerminal) await lines(tabbedTable(columns, rows))
      else if (rows.length > 0) {
        const [header = '', ...body] = alignedTable(columns, rows, terminal.width)
        await lines([terminal.paintOut.bold(header), ...body])
      }
      if (count !== undefined) note(count)
    },
    item: (value) => terminal.write(jsonLine(value)),
    line: (text) => lines([printable(text)]),
    data: (text) => terminal.write(terminal.outIsTerminal ? printable(text) : text),
    note,
    done: (text) => marked(terminal.paintErr.green('✔'), text),
    warn: (text) => marked(terminal.paintErr.yellow('!'), text),
    progress: (label, total, words) =>
      json && jsonLines ? startJsonProgress(terminal, label, total) : startProgress(terminal, label, total, !json && !quiet, words),
  }
}
