/** Imports the points of a file into a series. */
import type { Context } from '../../../command.js'
import { delimiterOf } from '../../events/import/format.js'
import { openInput, sizeOf } from '../../../terminal/input/text.js'
import { textBlocks } from '../../../terminal/input/textBlocks.js'
import { actingAs } from '../../../client/access.js'
import { authorityHolding } from '../../../client/holder.js'
import { choice, flag, list, text } from '../../../framework/option.js'
import { bytes, counted } from '../../../terminal/output/format.js'
import { aboutSeries } from './about.js'
import { readCsvPoints } from './csvPoints.js'
import { createChecker, POINTS_PER_CALL, createSender } from './send.js'
import type { PointLine } from './send.js'

/** Options about the file. */
export const importOptions = {
  timeColumn: text('Column of the time (default: deltaTime or timestamp)', { placeholder: 'column' }),
  timeUnit: choice(['s', 'ms'], 'Unit of numeric times (default: s)'),
  delta: flag('Times are relative to the event, whatever the name of the column'),
  column: list('Column of a field, if its name differs from the field; repeatable', { placeholder: 'field=column' }),
  delimiter: text('Delimiter of cells, or tab (default: comma)', { placeholder: 'sign' }),
  skipEmpty: flag('Skip rows without a value'),
  dryRun: flag('Check and count, write nothing', { short: 'n' }),
  ...actingAs,
}

type ImportOptions = { [K in keyof typeof importOptions]: ReturnType<(typeof importOptions)[K]['read']> }

/** Imports `file`, `-` for stdin, and prints the number of points. Stops at the first refused line. */
export async function importFile(context: Context, event: string, file: string, options: ImportOptions): Promise<void> {
  const { out, terminal } = context
  const { timeColumn, timeUnit = 's', delta, column, skipEmpty, dryRun } = options
  const delimiter = delimiterOf(options.delimiter ?? (file.endsWith('.tsv') ? 'tab' : ','))
  const size = file === '-' ? undefined : await sizeOf(file)
  const client = await context.connect()
  const as = await authorityHolding(client, options, { kind: 'event', id: event })
  const about = await aboutSeries(client, as, event)
  const progress = out.progress('importing', size, bytes)
  const input = file === '-' ? terminal.streams.stdin : openInput(file)
  const blocks = textBlocks(input, (read) => progress.advance(read))
  let count = 0
  try {
    const rows = await readCsvPoints(blocks, about, { delimiter, timeColumn, timeUnit, delta, column, skipEmpty })
    if (rows.unused.length > 0) out.warn(`Ignoring columns that match no field: ${rows.unused.join(', ')}`)
    const send = dryRun ? createChecker(about, rows.fields) : createSender(client, as, event, rows.fields)
    for await (const lines of inCalls(rows.lines)) {
      await send(lines)
      count += lines.length
    }
  } catch (error) {
    if (count > 0 && !dryRun) {
      out.warn(`${counted(count, 'point')} imported so far. Import the file again to resume; no point is imported twice.`)
    }
    throw error
  } finally {
    progress.end()
  }
  await out.result({ points: count, ...(dryRun ? { dryRun } : {}) }, {
    print: () => out.done(`${counted(count, 'point')} ${dryRun ? 'would be ' : ''}imported`),
  })
}

/** Groups lines by the size of a call. */
async function* inCalls(lines: AsyncIterable<PointLine[]>): AsyncGenerator<PointLine[]> {
  let waiting: PointLine[] = []
  for await (const some of lines) {
    for (const line of some) {
      waiting.push(line)
      if (waiting.length < POINTS_PER_CALL) continue
      yield waiting
      waiting = []
    }
  }
  if (waiting.length > 0) yield waiting
}
