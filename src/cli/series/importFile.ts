/** Importing the points of a file into a series. */
import type { Context } from '../command.js'
import { delimiterOf } from '../import/format.js'
import { openInput, sizeOf } from '../terminal/input/text.js'
import { textBlocks } from '../terminal/input/textBlocks.js'
import { actingAs, authorityOf } from '../client/access.js'
import { choice, flag, list, text } from '../framework/option.js'
import { bytes, counted } from '../terminal/output/format.js'
import { aboutSeries } from './about.js'
import { readCsvPoints } from './csvPoints.js'
import { checker, POINTS_PER_CALL, sender } from './send.js'
import type { PointLine } from './send.js'

/** The options that tell about the file. */
export const importOptions = {
  timeColumn: text('Column of the time; deltaTime or timestamp if not given', { placeholder: 'column' }),
  timeUnit: choice(['s', 'ms'], 'Unit of times that are numbers, seconds if not given'),
  delta: flag('The times are those after the event, whatever the column is called'),
  column: list('Column of a field, where it is not named as the field', { placeholder: 'field=column' }),
  delimiter: text('What parts cells, a comma if not given; tab for a tab', { placeholder: 'sign' }),
  skipEmpty: flag('Leave out rows that lack a value'),
  dryRun: flag('Check and count, write nothing', { short: 'n' }),
  ...actingAs,
}

export type ImportOptions = { [K in keyof typeof importOptions]: ReturnType<(typeof importOptions)[K]['read']> }

/** Imports `file`, `-` for stdin, and tells how many points there were. Stops at the first line that is not taken. */
export async function importFile(context: Context, event: string, file: string, options: ImportOptions): Promise<void> {
  const { out, terminal } = context
  const { timeColumn, timeUnit = 's', delta, column, skipEmpty, dryRun } = options
  const delimiter = delimiterOf(options.delimiter ?? (file.endsWith('.tsv') ? 'tab' : ','))
  const size = file === '-' ? undefined : await sizeOf(file)
  const client = await context.connect()
  const as = await authorityOf(client, options)
  const about = await aboutSeries(client, as, event)
  const progress = out.progress('importing', size, bytes)
  const input = file === '-' ? terminal.streams.stdin : openInput(file)
  const blocks = textBlocks(input, (taken) => progress.advance(taken))
  let count = 0
  try {
    const rows = await readCsvPoints(blocks, about, { delimiter, timeColumn, timeUnit, delta, column, skipEmpty })
    if (rows.unused.length > 0) out.warn(`Columns that are no fields are left out: ${rows.unused.join(', ')}`)
    const send = dryRun ? checker(about, rows.fields) : sender(client, as, event, rows.fields)
    for await (const lines of inCalls(rows.lines)) {
      await send(lines)
      count += lines.length
    }
  } catch (error) {
    if (count > 0 && !dryRun) {
      out.warn(`${counted(count, 'point')} imported so far. Import the file again to go on: nothing is there twice.`)
    }
    throw error
  } finally {
    progress.end()
  }
  await out.result({ points: count, ...(dryRun ? { dryRun } : {}) }, {
    print: () => out.done(`${counted(count, 'point')} ${dryRun ? 'would be ' : ''}imported`),
  })
}

/** Lines in groups of what makes one call. */
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
