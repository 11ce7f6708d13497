import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { numberOf } from '../../client/answer.js'
import { decimal, list, text } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'
import { aboutSeries } from './shared/about.js'
import { createBins } from '../../terminal/plot/bins.js'
import { columnsFor } from '../../terminal/plot/chart.js'
import { deltaLabel } from '../../terminal/plot/labels.js'
import { frameOf, lineDocument, sizeOptions, writeChart } from '../../terminal/plot/options.js'

/** `coffer series plot`. */
export const plot = command({
  path: ['series', 'plot'],
  summary: 'Plot the points of a series',
  description:
    'Each field given is drawn as a line of its own. A column that covers many points shows their range, so that no extreme is lost; longer periods without points leave a gap. Times are relative to the event. Without colours (NO_COLOR, --no-color) and on dumb terminals the plot uses ASCII.\n\nIn a pipe: one point per line with its deltaTime and the numbers of the fields, separated by tabs.',
  arguments: { event: text('Event that contains the series', { required: true, names: 'series' }) },
  options: {
    field: list('Numeric field; defaults to the first', { placeholder: 'name' }),
    from: decimal('Only points from this time on, in seconds after the time of the event', { placeholder: 'seconds' }),
    to: decimal('Only points before this time, in seconds after the time of the event', { placeholder: 'seconds' }),
    ...sizeOptions,
    ...actingAs,
  },
  examples: [
    { type: 'coffer series plot ckq2v8x0a0000abcd1234efgh', description: 'plot all points' },
    { type: 'coffer series plot ckq2v8x0a0000abcd1234efgh --field speed --from 3600', description: 'one field, from one hour on' },
  ],
  json: '{"id","type","time","from","to","lines":[{"name","count","columns":[{"from","to","first","last","least","most"}]}]}: times are seconds after "time"; a column is one character of --width',
  offline: true,
  async run(context, { event, field, from, to, width, height, user, access }) {
    const { out, connect, terminal } = context
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id: event })
    // Fails if the access may not read the series.
    if (as.access !== undefined) await client.call('series.get', { id: event, fromDeltaTime: 0, toDeltaTime: 0 }, as)
    const about = await aboutSeries(client, as, event, { from, to })
    const { first } = about.answer
    if (first === undefined) throw new CommandError(`The series ${event} has no points${from === undefined && to === undefined ? '' : ' in that range'}.`, { exit: 5, hint: ['Add points', 'series', 'add', event, '<value>'] })
    const numbers = [...about.shape].filter(([, { kind }]) => kind === 'number').map(([name]) => name)
    for (const name of field) {
      if (!numbers.includes(name)) throw usageError(`The series has no numeric field ${JSON.stringify(name)}`, `Numeric fields: ${numbers.join(', ')}`)
    }
    const fields = field.length > 0 ? field : numbers.slice(0, 1)
    if (fields.length === 0) throw usageError('The series has no numeric field')
    const last = Math.max(first, Math.min(about.answer.last ?? first, to ?? Infinity))
    const query = { id: event, ...(from === undefined ? {} : { fromDeltaTime: from }), toDeltaTime: to ?? Number.MAX_VALUE }
    const order = ['deltaTime', ...about.fields]
    const places = fields.map((name) => order.indexOf(name))
    const frame = frameOf(context, { width, height }, first, last)
    const lines = fields.map((name) => ({ name, bins: createBins(first, last, columnsFor(frame)) }))
    const isPiped = !terminal.outIsTerminal && !out.json
    for await (const texts of client.texts('series.get', query, as, 'points')) {
      let output = ''
      for (const row of JSON.parse(`[${texts.join(',')}]`) as unknown[][]) {
        const time = numberOf(row[0]) ?? 0
        const values = places.map((place) => numberOf(row[place]))
        if (isPiped && !out.quiet) output += `${time}\t${values.map((value) => value ?? '').join('\t')}\n`
        for (const [line, value] of values.entries()) if (value !== undefined) lines[line]?.bins.add(time, value)
      }
      if (output !== '') await terminal.write(output)
    }
    if (isPiped) return
    const document = { id: about.id, type: about.type, time: about.time, from: first, to: last, lines: lines.map(lineDocument) }
    const title = `${about.type}${fields.length === 1 ? `, ${fields[0] ?? ''}` : ''}, after ${when(about.time)}`
    await out.result(document, { id: about.id, print: () => writeChart(context, title, lines, frame, deltaLabel(last - first)) })
    out.note(counted(lines.reduce((max, { bins }) => Math.max(max, bins.count), 0), 'point'))
  },
})
