/** Imports the points of a file into a series. */
import { yesOption } from '../../../terminal/input/confirm.js'
import type { Context } from '../../../command.js'
import { actingAs } from '../../../client/access.js'
import { authorityHolding } from '../../../client/holder.js'
import { abortOnInterrupt, interruption, type Interruption } from '../../../client/interruption.js'
import { CommandError } from '../../../framework/exit.js'
import { flag, list, text } from '../../../framework/option.js'
import { csvFormatOf, csvOptions } from '../../../terminal/input/csv/options.js'
import { formatLine, openTable } from '../../../terminal/input/csv/table.js'
import { encodingLabel } from '../../../terminal/input/textEncoding.js'
import { createRowCounter, previewed, type RowCounter } from '../../../terminal/input/preview.js'
import { sizeOf, withInput } from '../../../terminal/input/text.js'
import { openTextFile } from '../../../terminal/input/textFile.js'
import { timeIn, type Zone } from '../../../terminal/input/timeZone.js'
import { amount, bytes, counted } from '../../../terminal/output/format.js'
import type { Column } from '../../../terminal/output/table.js'
import { aboutSeries } from './about.js'
import { readCsvPoints } from './csvPoints.js'
import { createChecker, POINTS_PER_CALL, createSender } from './send.js'
import type { PointLine } from './send.js'

/** Options about the file. */
export const importOptions = {
  timeColumn: text('Column of the time (default: deltaTime or timestamp, else the one with dates)', { placeholder: 'column' }),
  clockColumn: text('Column of the time of day, if it is apart from the date', { placeholder: 'column' }),
  delta: flag('Times are relative to the event, whatever the name of the column'),
  column: list('Column of a field, if its name differs from the field; repeatable', { placeholder: 'field=column' }),
  ...csvOptions,
  skipEmpty: flag('Skip rows without a value'),
  dryRun: flag('Check and count, write nothing', { short: 'n' }),
  yes: yesOption('Skip the question before a large import'),
  ...actingAs,
}

type ImportOptions = { [K in keyof typeof importOptions]: ReturnType<(typeof importOptions)[K]['read']> }

/** Imports `file`, `-` for stdin, and prints the number of points. Stops at the first refused line. */
export async function importFile(context: Context, event: string, file: string, options: ImportOptions): Promise<void> {
  const { out, terminal } = context
  const { dryRun } = options
  const csv = csvFormatOf(options)
  const size = file === '-' ? undefined : await sizeOf(file)
  const counter = createRowCounter(size)
  const progress = out.progress('importing', size, bytes)
  let count = 0
  await withInput(terminal, file, 'the points', async (input) => {
    const text = await openTextFile(file, input, {
      encoding: csv.encoding,
      onBytes: (read) => {
        counter.bytes(read)
        progress.advance(read)
      },
      onDecided: (encoding) => out.note(`Text that is not ASCII is read as ${encodingLabel(encoding)}; --encoding <name> overrides this.`),
    })
    const table = openTable(text, csv, file.endsWith('.tsv') ? '\t' : ',')
    const client = await context.connect()
    const as = await authorityHolding(client, options, { kind: 'event', id: event })
    const about = await aboutSeries(client, as, event)
    let stopping: Interruption | undefined
    try {
      const rows = await readCsvPoints(table, about, options, csv, file === '-' ? undefined : terminal)
      out.note(formatLine(file, table, text, rows.labels))
      if (rows.unused.length > 0) out.warn(`Ignoring columns that match no field: ${rows.unused.join(', ')}`)
      const agreed = await previewed(context, countedRows(rows.lines, counter), {
        columns: pointColumns(rows.fields, csv.zone),
        rowsOf: (lines) => [...lines],
        isConfirmed: options.yes || file === '-',
        isDryRun: dryRun,
        estimate: counter.estimate,
        onShow: () => progress.end(),
      })
      const send = dryRun ? createChecker(about, rows.fields) : createSender(client, as, event, rows.fields)
      stopping = interruption()
      for await (const lines of inCalls(abortOnInterrupt(agreed, stopping, 'Interrupted.'))) {
        await send(lines)
        count += lines.length
      }
    } catch (error) {
      if (stopping?.isOver() === true) throw interrupted(count, counter.estimate(), { dryRun, file })
      if (count > 0 && !dryRun) {
        out.warn(`${counted(count, 'point')} imported so far. Import the file again to resume; no point is imported twice.`)
      }
      throw error
    } finally {
      stopping?.end()
      progress.end()
    }
  })
  await out.result({ points: count, ...(dryRun ? { dryRun } : {}) }, {
    print: () => out.done(`${counted(count, 'point')} ${dryRun ? 'would be ' : ''}imported`),
  })
}

/** Returns the error after Ctrl-C; a point replaces that of the same time, so the import can be repeated. */
function interrupted(count: number, total: number | undefined, { dryRun, file }: { dryRun: boolean; file: string }): CommandError {
  const of = total === undefined || total <= count ? counted(count, 'point') : `${amount(count)} of about ${amount(total)} points`
  const again = file === '-' ? 'run the same command again with the same input' : 'run the same command again'
  return new CommandError(`Interrupted. ${dryRun ? 'Checked' : 'Imported'} ${of}${dryRun ? '; nothing was written' : ''}.`, {
    exit: 130,
    hint: dryRun ? `To check all points, ${again}.` : `To continue, ${again}: no point is imported twice.`,
  })
}

async function* countedRows(lines: AsyncIterable<PointLine[]>, counter: RowCounter): AsyncGenerator<PointLine[], void> {
  for await (const some of lines) {
    counter.rows(some.length)
    yield some
  }
}

/** Creates the columns of the preview. */
function pointColumns([time = '', ...fields]: readonly string[], zone: Zone): Column<PointLine>[] {
  const timeCell = ({ cells: [at] }: PointLine): string => (time === 'timestamp' ? timeIn(zone, Number(at)) : `${String(at)} s`)
  return [
    { title: 'LINE', cell: ({ line }) => String(line), align: 'right', drops: true },
    { title: time === 'timestamp' ? 'TIME' : 'AFTER THE EVENT', cell: timeCell },
    ...fields.map((field, index) => ({ title: field.toUpperCase(), cell: ({ cells }: PointLine) => String(cells[index + 1] ?? ''), shrinks: true as const, drops: true as const })),
  ]
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
