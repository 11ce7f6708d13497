import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { numberOf } from '../../client/answer.js'
import { decimal, list, text } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'
import { aboutSeries } from '../../series/about.js'
import { createBins } from '../../terminal/plot/bins.js'
import { columnsFor } from '../../terminal/plot/chart.js'
import { deltaLabel } from '../../terminal/plot/labels.js'
import { frameOf, lineDocument, sizeOptions, writeChart } from '../../terminal/plot/options.js'

/** `coffer series plot`. */
export const plot = command({
  path: ['series', 'plot'],
  summary: 'Plot the points of a series',
  description:
    'Of several fields, each is a line of its own. A column that takes many points shows their range, so that no extreme is lost, and where there are none for long the line has a gap. Times are those after the event. Without colours (NO_COLOR, --no-color) and on dumb terminals it is drawn in ASCII.\n\nIn a pipe: one point a line, its deltaTime and the numbers of the fields, parted by tabs.',
  arguments: { event: text('The event that holds the series', { required: true, names: 'series' }) },
  options: {
    field: list('A field of numbers; the first if not given', { placeholder: 'name' }),
    from: decimal('Only points from here on, in seconds after the event', { placeholder: 'seconds' }),
    to: decimal('Only points before this', { placeholder: 'seconds' }),
    ...sizeOptions,
    ...actingAs,
  },
  examples: [
    { type: 'coffer series plot ckq2v8x0a0000abcd1234efgh', says: 'how it went' },
    { type: 'coffer series plot ckq2v8x0a0000abcd1234efgh --field speed --from 3600', says: 'one field, from an hour on' },
  ],
  json: '{"id","type","time","from","to","lines":[{"name","count","columns":[{"from","to","first","last","least","most"}]}]}: times are seconds after "time"; a column is what --width makes one of',
  offline: true,
  async run(context, { event, field, from, to, width, height, user, access }) {
    const { out, connect, terminal } = context
    const client = await connect()
    const as = await authorityOf(client, { user, access })
    // Refuses who may not read it.
    if (as.access !== undefined) await client.call('series.get', { id: event, fromDeltaTime: 0, toDeltaTime: 0 }, as)
    const about = await aboutSeries(client, as, event, { from, to })
    const first = numberOf(about.answer['first'])
    if (first === undefined) throw new CommandError(`There are no points in the series ${event}${from === undefined && to === undefined ? '' : ' at that time'}.`, { exit: 5 })
    const numbers = [...about.shape].filter(([, { kind }]) => kind === 'number').map(([name]) => name)
    for (const name of field) {
      if (!numbers.includes(name)) throw usageError(`The series has no field of numbers ${JSON.stringify(name)}`, `It has: ${numbers.join(', ')}`)
    }
    const fields = field.length > 0 ? field : numbers.slice(0, 1)
    if (fields.length === 0) throw usageError('The series has no field of numbers')
    const last = Math.max(first, Math.min(numberOf(about.answer['last']) ?? first, to ?? Infinity))
    const query = { id: event, ...(from === undefined ? {} : { fromDeltaTime: from }), toDeltaTime: to ?? Number.MAX_VALUE }
    const order = ['deltaTime', ...about.fields]
    const places = fields.map((name) => order.indexOf(name))
    const frame = frameOf(context, { width, height }, first, last)
    const lines = fields.map((name) => ({ name, bins: createBins(first, last, columnsFor(frame)) }))
    const isPiped = !terminal.outIsTerminal && !out.json
    for await (const texts of client.texts('series.get', query, as, 'points')) {
      let described = ''
      for (const row of JSON.parse(`[${texts.join(',')}]`) as unknown[][]) {
        const time = numberOf(row[0]) ?? 0
        const values = places.map((place) => numberOf(row[place]))
        if (isPiped && !out.quiet) described += `${time}\t${values.map((value) => value ?? '').join('\t')}\n`
        for (const [line, value] of values.entries()) if (value !== undefined) lines[line]?.bins.add(time, value)
      }
      if (described !== '') await terminal.write(described)
    }
    if (isPiped) return
    const document = { id: about.id, type: about.type, time: about.time, from: first, to: last, lines: lines.map(lineDocument) }
    const title = `${about.type}${fields.length === 1 ? `, ${fields[0] ?? ''}` : ''}, after ${when(about.time)}`
    await out.result(document, { id: about.id, print: () => writeChart(context, title, lines, frame, deltaLabel(last - first)) })
    out.note(counted(lines.reduce((max, { bins }) => Math.max(max, bins.count), 0), 'point'))
  },
})
