import { errorMessage } from '../../../store/model/errorMessage.js'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readNumber } from '../../terminal/input/number.js'
import { readTime } from '../../terminal/input/time.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { list, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { aboutSeries, valueOf } from './shared/about.js'
import type { SeriesDetails } from './shared/about.js'

interface FlatJson {
  format: string
  fields: string[]
  points: unknown[][]
}

/** `coffer series add`. */
export const add = command({
  path: ['series', 'add'],
  summary: 'Add points to a series',
  description:
    'A point has the form time=value: 12.5=36.6 is 12.5 seconds after the time of the event. Instead of seconds, the time can be absolute or relative to now, such as 2026-11-21T10:00 or -2h; without a time, the point is at the current time. Values of several fields are comma-separated, in the order of --field, or of the required fields. Either all points are added, or none.\n\nA point replaces an existing one with the same time. To import a table, use coffer series import.',
  arguments: {
    event: text('Event that contains the series', { required: true, names: 'series' }),
    points: list('Points, or - for flatJSON from stdin', { stdin: 'dash' }),
  },
  options: {
    field: list('Field of the values, if not the required fields', { placeholder: 'name' }),
    ...actingAs,
  },
  examples: [
    { type: 'coffer series add ckq2v8x0a0000abcd1234efgh 36.6', description: 'add a value at the current time' },
    { type: 'coffer series add ckq2v8x0a0000abcd1234efgh 0=46.5,6.6 1.5=46.6,6.7', description: 'add two positions' },
    { type: 'coffer series add ckq2v8x0a0000abcd1234efgh - < points.json', description: 'add points in flatJSON' },
  ],
  json: '{"points"}: number of points added',
  offline: true,
  async run(context, { event, points, field, user, access }) {
    const { out, terminal } = context
    if (points.length === 0) throw usageError('No points given', 'See: coffer series add --help')
    const isStdin = points.length === 1 && points[0] === '-'
    const input = isStdin ? flatJsonOf(await terminal.readAll('the points')) : undefined
    const client = await context.connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id: event })
    const parts = input ?? pointsOf(points, field, await aboutSeries(client, as, event), context.now())
    const data = parts.map((part) => ({ eventId: event, data: part }))
    await client.call('series.batch', { data: { format: 'seriesBatch', data } }, as)
    const count = parts.reduce<number>((sum, part) => sum + countOf(part), 0)
    await out.result({ points: count }, { print: () => out.done(`${counted(count, 'point')} added`) })
  },
})

const countOf = (part: unknown): number =>
  typeof part === 'object' && part !== null && 'points' in part && Array.isArray(part.points) ? part.points.length : 0

/** Parses one flatJSON object, or one object per line. @throws CommandError 2 for invalid JSON */
function flatJsonOf(text: string): unknown[] {
  const parse = (json: string): unknown => JSON.parse(json)
  try {
    return [parse(text)]
  } catch {
    // Not a single object: parse one object per line.
  }
  return text
    .split('\n')
    .map((line, at) => ({ line, at }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, at }) => {
      try {
        return parse(line)
      } catch {
        throw usageError(`Line ${at + 1} of stdin is not JSON`)
      }
    })
}

/** Parses points, separating those relative to the event from those with absolute times. */
function pointsOf(words: readonly string[], named: readonly string[], { shape }: SeriesDetails, now: number): FlatJson[] {
  const required = [...shape].filter(([, { isRequired }]) => isRequired).map(([field]) => field)
  const fields = named.length > 0 ? [...named] : required
  const unknown = fields.find((field) => !shape.has(field))
  if (unknown !== undefined) {
    throw usageError(`The series has no field ${JSON.stringify(unknown)}`, `Fields: ${[...shape.keys()].join(', ')}`)
  }
  const relative: unknown[][] = []
  const absolute: unknown[][] = []
  for (const word of words) {
    const equals = word.indexOf('=')
    const time = equals < 0 ? 'now' : word.slice(0, equals)
    const values = valuesOf(word.slice(equals + 1), fields, shape, word)
    const seconds = readNumber(time)
    if (seconds === undefined) absolute.push([timeOf(time, now, word), ...values])
    else relative.push([seconds, ...values])
  }
  const parts = [
    { format: 'flatJSON', fields: ['deltaTime', ...fields], points: relative },
    { format: 'flatJSON', fields: ['timestamp', ...fields], points: absolute },
  ]
  return parts.filter(({ points }) => points.length > 0)
}

function timeOf(time: string, now: number, word: string): number {
  try {
    return readTime(time, now)
  } catch (error) {
    throw usageError(`${JSON.stringify(word)} must start with ${errorMessage(error)}`)
  }
}

function valuesOf(text: string, fields: readonly string[], shape: SeriesDetails['shape'], word: string): unknown[] {
  const cells = fields.length === 1 ? [text] : text.split(',')
  if (cells.length !== fields.length) {
    throw usageError(`${JSON.stringify(word)} must have ${counted(fields.length, 'value')}: ${fields.join(',')}`)
  }
  return fields.map((name, at) => {
    const field = shape.get(name)
    try {
      return field === undefined ? null : valueOf(cells[at] ?? '', field, readNumber)
    } catch (error) {
      throw usageError(`${name} of ${JSON.stringify(word)}: ${errorMessage(error)}`)
    }
  })
}
