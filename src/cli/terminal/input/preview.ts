/** Shows the first rows of a large import, and asks whether to go on. */
import type { Context } from '../../command.js'
import { amount } from '../output/format.js'
import { alignedTable, type Column } from '../output/table.js'
import { confirm } from './confirm.js'

/** Imports of more rows are shown first. */
const MAX_UNASKED = 300
const SHOWN = 5

interface PreviewOptions<Row> {
  columns: ReadonlyArray<Column<Row>>
  /** Returns the rows to show of a block. */
  rowsOf(block: readonly Row[]): Row[]
  /** Value of `--yes`. */
  isConfirmed: boolean
  /** True for a dry run, which asks nothing. */
  isDryRun: boolean
  /** Returns the estimated number of rows in the file. */
  estimate(): number | undefined
  /** Clears the line of the terminal before the rows are shown. */
  onShow(): void
}

/**
 * Passes the blocks of an import on. On a terminal, more than 300 rows are shown first, five of them, and a person must
 * agree; nothing is asked in a pipe, under `--json`, `--quiet` and `--yes`.
 * @throws CommandError 130 when the person does not agree
 */
export async function previewed<Row>(
  { out, terminal }: Pick<Context, 'out' | 'terminal'>,
  blocks: AsyncGenerator<Row[], void>,
  { columns, rowsOf, isConfirmed, isDryRun, estimate, onShow }: PreviewOptions<Row>,
): Promise<AsyncGenerator<Row[], void>> {
  if (isConfirmed || !terminal.mayAsk || out.json || out.quiet) return blocks
  const first: Row[][] = []
  let count = 0
  let isWhole = false
  while (count <= MAX_UNASKED && !isWhole) {
    const next = await blocks.next()
    if (next.done === true) isWhole = true
    else {
      first.push(next.value)
      count += next.value.length
    }
  }
  if (count > MAX_UNASKED) {
    onShow()
    const estimated = estimate()
    const total = isWhole || estimated === count ? amount(count) : about(estimated)
    out.note(`The first rows of ${total === '' ? 'the file' : `${total} rows`}, as they will be stored:`)
    for (const line of alignedTable(columns, rowsOf(first.flat()).slice(0, SHOWN), terminal.width)) out.note(line)
    if (!isDryRun) await confirm(terminal, total === '' ? 'Import them?' : `Import ${total} rows?`, false)
  }
  return (async function* () {
    try {
      yield* first
      if (!isWhole) yield* blocks
    } finally {
      await blocks.return(undefined)
    }
  })()
}

const about = (rows: number | undefined): string => (rows === undefined ? '' : `about ${amount(rows)}`)

/** Counts rows and the bytes that they take, to estimate the number of rows in a file. */
export interface RowCounter {
  bytes(count: number): void
  rows(count: number): void
  /** Returns the number of rows, rounded to two digits until all bytes are read; undefined when the size is unknown. */
  estimate(): number | undefined
}

/** Creates a counter for a file of `size` bytes. */
export function createRowCounter(size: number | undefined): RowCounter {
  let read = 0
  let rows = 0
  return {
    bytes: (count) => void (read += count),
    rows: (count) => void (rows += count),
    estimate: () => {
      if (size === undefined || read === 0) return undefined
      return read >= size ? rows : Number(((rows * size) / read).toPrecision(2))
    },
  }
}
