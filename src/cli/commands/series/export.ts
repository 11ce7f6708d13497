import { command } from '../../command.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { abortOnInterrupt, untilInterrupted, type Interruption } from '../../client/interruption.js'
import { decimal, text } from '../../framework/option.js'
import { csvLine } from '../../terminal/output/csv.js'
import { jsonLine } from '../../terminal/output/text.js'
import { usageError } from '../../framework/exit.js'
import { interruptedExport, wholeFile } from '../../terminal/output/file.js'
import { amount, counted } from '../../terminal/output/format.js'
import { aboutSeries } from './shared/about.js'

/** Number of points per line with `--json`. */
const ROWS = 1000

/** `coffer series export`. */
export const exportPoints = command({
  path: ['series', 'export'],
  summary: 'Export the points of a series in chronological order',
  description:
    'Writes CSV: a header with the field names, then one line per point. deltaTime is in seconds after the time of the event. Use coffer series import to read it. A text that a spreadsheet would take for a formula starts with an apostrophe, which the import removes. Points are read from one consistent snapshot; any number is supported, and points in the future are included.\n\nWith --json, each line is a part of the series in flatJSON, as coffer series add reads it.',
  arguments: { event: text('Event that contains the series', { required: true, names: 'series' }) },
  options: {
    from: decimal('Only points from this time on, in seconds after the time of the event', { placeholder: 'seconds' }),
    to: decimal('Only points before this time, in seconds after the time of the event', { placeholder: 'seconds' }),
    output: text('Output file, written completely or not at all; defaults to stdout', { placeholder: 'file', completes: 'file' }),
    ...actingAs,
  },
  examples: [
    { type: 'coffer series export ckq2v8x0a0000abcd1234efgh --output heart.csv', description: 'export all points as CSV' },
    { type: 'coffer series export ckq2v8x0a0000abcd1234efgh --to 60 --json', description: 'export the first minute as flatJSON' },
  ],
  json: '{"format":"flatJSON","fields":[…],"points":[…]} on each line, of up to 1,000 points',
  offline: true,
  async run({ out, connect, flags }, { event, from, to, output, user, access }) {
    const { filter } = flags
    if (filter !== undefined && output !== undefined) throw usageError(`${filter} cannot be combined with --output`, 'To filter the points into a file, redirect stdout: > points.txt')
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id: event })
    const about = await aboutSeries(client, as, event)
    const fields = ['deltaTime', ...about.fields]
    const query = { id: event, ...(from === undefined ? {} : { fromDeltaTime: from }), toDeltaTime: to ?? Number.MAX_VALUE }
    const file = output === undefined ? undefined : await wholeFile(output, 'caller')
    const write = file?.write ?? out.data
    const progress = file === undefined ? undefined : out.progress('exporting', undefined, amount)
    let rows: unknown[][] = []
    let count = 0
    const flush = async (): Promise<void> => {
      if (rows.length === 0) return
      const batch = rows
      rows = []
      if (!out.json) await write(csvLines(batch))
      else if (file === undefined) await out.item(flatPart(fields, batch))
      else await write(jsonLine(flatPart(fields, batch)))
      count += batch.length
      progress?.advance(batch.length)
    }
    const exported = async (stopping: Interruption): Promise<void> => {
      if (!out.json) await write(csvLine(about.fields.length === 0 ? ['deltaTime', ...about.shape.keys()] : fields))
      for await (const texts of abortOnInterrupt(client.texts('series.get', query, as, 'points'), stopping, 'Interrupted.')) {
        for (const row of JSON.parse(`[${texts.join(',')}]`) as unknown[][]) {
          rows.push(row)
          if (rows.length === ROWS) await flush()
        }
      }
      await flush()
      await file?.done()
    }
    await untilInterrupted(exported, () => interruptedExport(counted(count, 'point'), output)).finally(async () => {
      progress?.end()
      await file?.drop()
    })
    out.done(`${counted(count, 'point')} exported${output === undefined ? '' : ` to ${output}`}`)
  },
})

const flatPart = (fields: readonly string[], points: readonly unknown[][]): object => ({ format: 'flatJSON', fields, points })

const csvLines = (rows: readonly unknown[][]): string =>
  rows.map((row) => csvLine(row.map((cell) => (cell === null ? '' : String(cell))))).join('')
