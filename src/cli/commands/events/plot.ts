import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { timeOption } from '../../terminal/input/time.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { numberOf, recordOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { flag, list, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { isoTime } from '../../terminal/output/timestamps.js'
import { createBins } from '../../terminal/plot/bins.js'
import { columnsFor } from '../../terminal/plot/chart.js'
import { timeLabel } from '../../terminal/plot/labels.js'
import { frameOf, lineDocument, sizeOptions, writeChart } from '../../terminal/plot/options.js'
import { eventsOf } from './eventText.js'
import { matching, SYSTEM_RECORDS, within } from './query.js'
import { assertTypesKnown, otherTypes } from './types.js'

/** `coffer events plot`. */
export const plot = command({
  path: ['events', 'plot'],
  summary: 'Plot numeric events over time',
  description:
    'Each stream given is drawn as a line of its own, including the streams below it. A column that covers many events shows their range, so that no extreme is lost; longer periods without events leave a gap. Events of the system are left out unless --stream names their stream or --all is given. Without colours (NO_COLOR, --no-color) and on dumb terminals the plot uses ASCII.\n\nIn a pipe: one event per line with its time, the stream and the number, separated by tabs.',
  options: {
    stream: list('Only events of this stream and those below it', { placeholder: 'id', names: 'stream' }),
    type: text('Event type', { required: true, placeholder: 'class/format' }),
    field: text('Field of the content to plot, if the content is an object', { placeholder: 'name' }),
    all: flag(`Include events of the system: ${SYSTEM_RECORDS}`),
    from: timeOption('Start of the range; defaults to the first event'),
    to: timeOption('End of the range; defaults to the last event'),
    ...sizeOptions,
    ...actingAs,
  },
  examples: [
    { type: 'coffer events plot --type mass/kg', description: 'all weights' },
    { type: 'coffer events plot --stream left --stream right --type force/n --from -7d', description: 'two streams, one week' },
    { type: 'coffer events plot --stream heart --type blood-pressure/mmhg-bpm --field systolic', description: 'one field of the content' },
    { type: 'coffer events plot --type mass/kg | cut -f1,3', description: 'times and numbers, for programs' },
  ],
  json: '{"type","from","to","lines":[{"name","count","columns":[{"from","to","first","last","least","most"}]}]}: a column is one character of --width; for exact values, use events list',
  offline: true,
  async run(context, { stream, type, field, all, from, to, width, height, user, access }) {
    const { out, connect, terminal } = context
    const client = await connect()
    const as = await authorityOf(client, { user, access })
    const query = (streams: readonly string[]): Record<string, unknown> => ({
      ...matching({ stream: streams, type: [type], all, access }),
      ...within({ from, to }),
    })
    const sources = stream.length === 0 ? [''] : stream
    const isPiped = !terminal.outIsTerminal && !out.json
    let withoutNumber = 0
    const numbers = async (each: string, print: (time: number, value: number) => unknown): Promise<void> => {
      const options = { ...query(each === '' ? [] : [each]), sortAscending: true }
      for await (const texts of client.texts('events.get', options, as, 'events')) {
        for (const event of texts.map((item) => recordOf(JSON.parse(item)))) {
          const value = field === undefined ? numberOf(event['content']) : numberOf(recordOf(event['content'])[field])
          const time = numberOf(event['time']) ?? 0
          // Events that started before the range and continue into it are placed at its start.
          if (time < (from ?? -Infinity)) continue
          if (value === undefined) withoutNumber += 1
          else await print(time, value)
        }
      }
    }
    if (isPiped) {
      if (!out.quiet) for (const each of sources) await numbers(each, (time, value) => terminal.write(`${isoTime(time)}\t${each}\t${value}\n`))
    } else {
      const range = await rangeOf(client, as, query(stream))
      if (range === undefined) await assertTypesKnown(client, as, [type], otherTypes(context))
      if (range === undefined) throw new CommandError(`No events of type ${type} found.`, { exit: 5, hint: ['List the latest events of each stream', 'streams', 'tree', '--latest'] })
      const frame = frameOf(context, { width, height }, Math.max(range.from, from ?? range.from), range.to)
      const lines = sources.map((name) => ({ name, bins: createBins(frame.from, frame.to, columnsFor(frame)) }))
      for (const { name, bins } of lines) await numbers(name, (time, value) => bins.add(time, value))
      const document = { type, from: frame.from, to: frame.to, lines: lines.map(lineDocument) }
      const title = `${field === undefined ? '' : `${field}, `}${type}${sources.length === 1 && stream[0] !== undefined ? ` in ${stream[0]}` : ''}`
      await out.result(document, { print: () => writeChart(context, title, lines, frame, timeLabel(frame.to - frame.from)) })
      out.note(counted(lines.reduce((sum, { bins }) => sum + bins.count, 0), 'event'))
    }
    if (withoutNumber > 0) out.warn(`${counted(withoutNumber, 'event')} without a number${field === undefined ? '; use --field to select one in the content' : ` in ${field}`}`)
  },
})

/** Returns the start times of the first and the last event of a query. */
async function rangeOf(client: NodeClient, as: Authority, query: Record_): Promise<{ from: number; to: number } | undefined> {
  const at = async (ascending: boolean): Promise<number | undefined> => {
    const answer = await client.call('events.get', { ...query, sortAscending: ascending, limit: 1 }, as)
    return numberOf(eventsOf(answer)[0]?.['time'])
  }
  const [from, to] = [await at(true), await at(false)]
  return from === undefined || to === undefined ? undefined : { from, to }
}
