/** Operator methods that summarise series on the node, so that long ones need not be transferred. */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { findEvent } from '../../../store/events/events.js'
import type { SeriesFields } from '../../../store/model/eventTypes/series.js'
import { Failure } from '../../../store/model/failure.js'
import type { Points as PointPage } from '../../../store/model/points.js'
import { rowsText } from '../../../store/model/rowText.js'
import { lastDelta, readPoints } from '../../../store/series/series.js'
import { RawJson } from '../../call/results.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const Window = z.strictObject({
  ...OfAccount,
  event: z.string().describe('Id of the series.'),
  from: z.number().default(0).describe('Start, in seconds after the time of the event.'),
  to: z.number().default(Infinity).describe('End, in seconds after the time of the event; exclusive.'),
  field: z.string().optional().describe('Field to aggregate; default: the first numeric one.'),
  parts: z.number().int().min(0).max(1000).default(0).describe('Number of equal time intervals.'),
  latest: z.number().int().min(0).max(10_000).default(0).describe('Number of most recent points.'),
})

const SumView = z.object({
  count: z.number().describe('Number of values.'),
  mean: z.number().optional().describe('Mean; absent without values.'),
  least: z.number().optional().describe('Minimum; absent without values.'),
  most: z.number().optional().describe('Maximum; absent without values.'),
})

const Points = z.object({
  fields: z.array(z.string()).describe('Fields that the points have.'),
  first: z.number().optional().describe('Time of the first point, in seconds after the event; absent without points.'),
  count: z.number().optional().describe('Number of points in the window; with parts or latest.'),
  final: z.number().optional().describe('Time of the last point in the window; with parts or latest.'),
  field: z.string().optional().describe('The aggregated field; absent without values.'),
  sum: SumView.optional().describe('Aggregate of the window.'),
  parts: z.array(SumView).optional().describe('Aggregates of the intervals.'),
  points: z.array(z.unknown()).describe('Most recent points: lists of the time and the values of fields.'),
})

/** Aggregate of a field, over all its time or one interval. */
interface Sum {
  count: number
  total: number
  least: number
  most: number
}

const emptySum = (): Sum => ({ count: 0, total: 0, least: Infinity, most: -Infinity })

const about = operatorMethod({
  id: 'series.about',
  summary: 'Describes the fields of a series, and with parts or latest the points of a time window.',
  input: Window,
  output: () => Points.extend({
    id: z.string().describe('Id of the series.'),
    type: z.string().describe('Event type.'),
    time: z.number().describe('Time of the event, in seconds since 1970.'),
    shape: z.record(z.string(), z.object({
      kind: z.enum(['number', 'string', 'boolean', 'null']).describe('Kind of the values.'),
      isWhole: z.boolean().describe('true for numbers without a fraction.'),
      isRequired: z.boolean().describe('true when every point must have a value.'),
      takesNull: z.boolean().describe('true when null is allowed.'),
    })).describe('Fields of the type, by name.'),
    last: z.number().nullable().describe('Time of the last point, in seconds after the event; null without points.'),
  }),
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  async run({ node }, input) {
    const { account } = await loadedOf(node, input)
    const holder = findEvent(account.db, account.prefix, input.event)
    if (holder === undefined) throw new Failure('unknown-resource', `Unknown event "${input.event}".`)
    const { id, type, time } = holder
    const shape = node.eventTypes.seriesFields(type)
    if (shape === undefined) {
      throw new Failure('invalid-operation', `The event is of type "${type}", which is not a series type.`, { type })
    }
    const last = lastDelta(account.db, account.prefix, id) ?? null
    return { id, type, time, shape: Object.fromEntries(shape), last, ...(await readWindow(account, shape, input)) }
  },
})

export const seriesMethods = [about] as const

/** Points as `run` returns them. */
type Unserialised = Omit<z.output<typeof Points>, 'points'> & { points: RawJson }

async function readWindow(account: Account, shape: SeriesFields, input: z.output<typeof Window>): Promise<Unserialised> {
  const { event, parts, latest, from, to } = input
  const { fields: found, pages } = await readPoints(account, event, { from, to })
  const fields = [...shape.keys()].filter((name) => found.includes(name))
  const field = input.field ?? fields.find((name) => shape.get(name)?.kind === 'number')
  if (input.field !== undefined && !shape.has(input.field)) {
    throw new Failure('invalid-operation', `The series has no field "${input.field}".`, { field: input.field })
  }
  const end = Math.min(to, lastDelta(account.db, account.prefix, event) ?? 0)
  const all = emptySum()
  const sums = Array.from({ length: parts }, emptySum)
  const tail: PointPage[] = []
  let count = 0
  let first: number | undefined
  let final: number | undefined
  for await (const points of pages) {
    first ??= points.deltaTimes[0] ?? 0
    if (parts === 0 && latest === 0) break
    count += points.deltaTimes.length
    final = points.deltaTimes.at(-1)
    keepTail(tail, points, latest)
    if (field !== undefined) add(points, field, { all, sums, from: first, length: end - first })
  }
  const rows = latest === 0 ? [] : tail.map((points) => rowsText(points, fields, 0, points.deltaTimes.length))
  return {
    fields,
    ...(first === undefined ? {} : { first }),
    ...(parts === 0 && latest === 0 ? {} : { count, ...(final === undefined ? {} : { final }) }),
    ...(field === undefined || all.count === 0 ? {} : { field, sum: described(all), parts: sums.map(described) }),
    points: new RawJson(`[${lastRows(rows, latest)}]`),
  }
}

const described = ({ count, total, least: min, most: max }: Sum): z.output<typeof SumView> =>
  count === 0 ? { count } : { count, mean: total / count, least: min, most: max }

/** Keeps the pages that hold the last points. */
function keepTail(tail: PointPage[], points: PointPage, max: number): void {
  tail.push(points)
  let others = tail.reduce((sum, { deltaTimes }) => sum + deltaTimes.length, 0)
  while (tail[0] !== undefined && others - tail[0].deltaTimes.length >= max) {
    others -= tail[0].deltaTimes.length
    tail.shift()
  }
}

function lastRows(rows: string[], latest: number): string {
  if (rows.length === 0) return ''
  const all = JSON.parse(`[${rows.join(',')}]`) as unknown[]
  return JSON.stringify(all.slice(-latest)).slice(1, -1)
}

interface Summing {
  all: Sum
  sums: Sum[]
  from: number
  length: number
}

function add({ deltaTimes, columns }: PointPage, field: string, { all, sums, from, length }: Summing): void {
  const column = columns.get(field)
  if (column?.kind !== 'number') return
  for (let i = 0; i < deltaTimes.length; i++) {
    const value = column.values[i] ?? NaN
    if (Number.isNaN(value)) continue
    include(all, value)
    const share = length > 0 ? ((deltaTimes[i] ?? 0) - from) / length : 0
    const part = sums[Math.min(sums.length - 1, Math.floor(share * sums.length))]
    if (part !== undefined) include(part, value)
  }
}

function include(sum: Sum, value: number): void {
  sum.count += 1
  sum.total += value
  if (value < sum.least) sum.least = value
  if (value > sum.most) sum.most = value
}
