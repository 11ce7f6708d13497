import { command } from '../../command.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { decimal, text } from '../../framework/option.js'
import { csvLine } from '../../terminal/output/csv.js'
import { jsonLine } from '../../terminal/output/json.js'
import { wholeFile } from '../../terminal/output/file.js'
import { amount, counted } from '../../terminal/output/format.js'
import { aboutSeries } from '../../series/about.js'

/** So many points make a line under `--json`. */
const ROWS = 1000

/** `coffer series export`. */
export const exportPoints = command({
  path: ['series', 'export'],
  summary: 'Write the points of a series out, in the order of time',
  description:
    'Writes CSV: a header with the names of the fields, then a line for each point. deltaTime are seconds after the time of the event. coffer series import reads it. A text that a program for tables would take for a formula has an apostrophe in front, which the import takes off. There may be any number of points, and all are as they were at one moment; those of the future are among them.\n\nWith --json, each line is a part of the series in flatJSON, which coffer series add reads.',
  arguments: { event: text('The event that holds the series', { required: true, names: 'series' }) },
  options: {
    from: decimal('Only points from here on, in seconds after the event', { placeholder: 'seconds' }),
    to: decimal('Only points before this', { placeholder: 'seconds' }),
    output: text('File to write, complete or not at all; stdout without it', { placeholder: 'file', completes: 'file' }),
    ...actingAs,
  },
  examples: [
    { type: 'coffer series export ckq2v8x0a0000abcd1234efgh --output heart.csv', says: 'all points, as a table' },
    { type: 'coffer series export ckq2v8x0a0000abcd1234efgh --to 60 --json', says: 'the first minute, in flatJSON' },
  ],
  json: '{"format":"flatJSON","fields":[…],"points":[…]} on each line, of up to 1,000 points',
  offline: true,
  async run({ out, connect, terminal }, { event, from, to, output, user, access }) {
    const client = await connect()
    const as = await authorityOf(client, { user, access })
    const about = await aboutSeries(client, as, event)
    const fields = ['deltaTime', ...about.fields]
    const query = { id: event, ...(from === undefined ? {} : { fromDeltaTime: from }), toDeltaTime: to ?? Number.MAX_VALUE }
    const file = output === undefined ? undefined : await wholeFile(output)
    const write = file === undefined ? (out.json ? terminal.write : out.data) : file.write
    const progress = file === undefined ? undefined : out.progress('exporting', undefined, amount)
    const print = out.json ? flatLine : csvLines
    let rows: unknown[][] = []
    let count = 0
    const flush = async (): Promise<void> => {
      if (rows.length === 0) return
      count += rows.length
      progress?.advance(rows.length)
      const described = rows
      rows = []
      await write(print(fields, described))
    }
    try {
      if (!out.json) await write(csvLine(about.fields.length === 0 ? ['deltaTime', ...about.shape.keys()] : fields))
      for await (const texts of client.texts('series.get', query, as, 'points')) {
        for (const row of JSON.parse(`[${texts.join(',')}]`) as unknown[][]) {
          rows.push(row)
          if (rows.length === ROWS) await flush()
        }
      }
      await flush()
      await file?.done()
    } finally {
      progress?.end()
      await file?.drop()
    }
    out.done(`${counted(count, 'point')} exported${output === undefined ? '' : ` to ${output}`}`)
  },
})

type Write = (fields: readonly string[], rows: readonly unknown[][]) => string

const flatLine: Write = (fields, points) => jsonLine({ format: 'flatJSON', fields, points })

const csvLines: Write = (_, rows) =>
  rows.map((row) => csvLine(row.map((cell) => (cell === null ? '' : String(cell))))).join('')
