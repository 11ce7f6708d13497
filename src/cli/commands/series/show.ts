import { CommandError } from '../../framework/exit.js'
import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { decimal, text, whole } from '../../framework/option.js'
import { alignedTable, tabbedTable } from '../../terminal/output/table.js'
import type { Output } from '../../terminal/output/out.js'
import type { Column } from '../../terminal/output/table.js'
import { amount, span } from '../../terminal/output/format.js'
import { aboutSeries } from './shared/about.js'
import type { SeriesDetails } from './shared/about.js'
import { plotLines } from './shared/plot.js'

const HEIGHT = 6
const MAX_WIDTH = 120
/** Number of columns of the margin. */
const MARGIN = 2

type Answer = ResultOf<'series.about'>

/** `coffer series show`. */
export const show = command({
  path: ['series', 'show'],
  summary: 'Show a summary of a series',
  description:
    'Shows the fields, the number of points, the time span and the range of a field, with a plot on a terminal, and the last points. --from and --to limit the range, in seconds after the time of the event.',
  arguments: { event: text('Event that contains the series', { required: true, names: 'series' }) },
  options: {
    from: decimal('Only points from this time on, in seconds after the time of the event', { placeholder: 'seconds' }),
    to: decimal('Only points before this time, in seconds after the time of the event', { placeholder: 'seconds' }),
    field: text('Field to plot; defaults to the first numeric one', { placeholder: 'name' }),
    limit: whole('Number of last points to show; defaults to 10', { short: 'l', to: 10_000 }),
    ...actingAs,
  },
  examples: [
    { type: 'coffer series show ckq2v8x0a0000abcd1234efgh', description: 'summarize a series' },
    { type: 'coffer series show ckq2v8x0a0000abcd1234efgh --from 3600 --field speed', description: 'one field, from one hour on' },
  ],
  json: '{"id","type","time","shape","last","fields","count","first","final","field","sum":{"count","mean","least","most"},"parts":[…],"points":[…]}: times are seconds after the event; "parts" are the sums of equal parts of the time',
  offline: true,
  async run({ out, connect, terminal }, { event, from, to, field, limit = 10, user, access }) {
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id: event })
    // Fails if the access may not read the series.
    if (as.access !== undefined) await client.call('series.get', { id: event, fromDeltaTime: 0, toDeltaTime: 0 }, as)
    const parts = Math.max(10, Math.min(terminal.width, MAX_WIDTH) - MARGIN)
    const about = await aboutSeries(client, as, event, { from, to, field, parts, latest: limit })
    await out.result(about.answer, {
      id: about.id,
      print: async () => {
        for (const line of aboutLines(about, out.time)) await out.line(line)
        if (terminal.outIsTerminal) for (const line of plotOf(about.answer)) await out.line(line)
        const rows = rowsOf(about.answer)
        if (rows.length === 0) return
        await out.line('')
        const columns = ['deltaTime', ...about.fields].map((title, at): Column<unknown[]> => ({
          title,
          align: 'right',
          cell: (row) => valueText(row[at]),
          ...(at === 0 ? {} : { drops: true as const }),
          // A number that is cut off would be another number.
          ...(rows.some((row) => typeof row[at] === 'string') ? { shrinks: true as const } : {}),
        }))
        const table = terminal.outIsTerminal ? alignedTable(columns, rows, terminal.width) : tabbedTable(columns, rows)
        for (const line of table) await terminal.write(`${line}\n`)
      },
    })
  },
})

function rowsOf({ points }: Answer): unknown[][] {
  return Array.isArray(points) ? points.filter((row) => Array.isArray(row)) : []
}

const valueText = (value: unknown): string =>
  typeof value === 'boolean' ? String(value) : value === null ? '' : textOf(value)

function aboutLines({ id, type, time, fields, shape, answer }: SeriesDetails, timeText: Output['time']): string[] {
  const line = (title: string, value: string): string => `  ${title.padEnd(9)} ${value}`
  const { count } = answer
  if (count === undefined) throw new CommandError('The node did not return the number of points.')
  const first = answer.first ?? 0
  const last = answer.final ?? 0
  const { sum } = answer
  const empty = count === 0
  return [
    id,
    line('Type', type),
    line('Time', timeText(time)),
    line('Fields', ['deltaTime', ...(empty ? shape.keys() : fields)].join(', ')),
    line('Points', amount(count)),
    ...(empty ? [] : [line('Span', `${first} to ${last} s (${span(last - first)})`)]),
    ...(sum?.mean !== undefined ? [line('Range', `${answer.field ?? ''} ${rangeOf(sum)}`)] : []),
  ]
}

function rangeOf({ least: min, most: max, mean }: NonNullable<Answer['sum']>): string {
  return `${textOf(min)} to ${textOf(max)}, mean ${Number((mean ?? 0).toPrecision(6))}`
}

/** Plots the means of the parts; empty without numbers. */
function plotOf(answer: Answer): string[] {
  const means = (answer.parts ?? []).map((part) => part.mean)
  if (means.every((mean) => mean === undefined)) return []
  return ['', ...plotLines(means, HEIGHT).map((line) => `${' '.repeat(MARGIN)}${line}`)]
}
