/** Operator methods that summarise series on the node, so that long ones need not be transferred. */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { findEvent } from '../../../store/events/events.js'
import type { SeriesFields } from '../../../store/model/eventTypes/series.js'
import { Failure } from '../../../store/model/failure.js'
import type { Points } from '../../../store/model/points.js'
import { rowsText } from '../../../store/model/rowText.js'
import { parseInput } from '../../../store/model/validation.js'
import { lastDelta, readPoints } from '../../../store/series/series.js'
import type { NodeMethod } from '../control.js'
import type { Result } from '../../method.js'
import { RawJson } from '../../results.js'
import { loadedOf } from './loaded.js'

const Asked = z.object({
  username: z.string(),
  event: z.string(),
  /** Seconds after the time of the event; the end is exclusive. */
  from: z.number().default(0),
  to: z.number().default(Infinity),
  /** The field to aggregate; default: the first numeric field. */
  field: z.string().optional(),
  /** Number of equal time intervals. */
  parts: z.number().int().min(0).max(1000).default(0),
  /** Number of most recent points. */
  latest: z.number().int().min(0).max(10_000).default(0),
})

/** Aggregate of a field, over all its time or one interval. */
interface Sum {
  count: number
  total: number
  least: number
  most: number
}

const emptySum = (): Sum => ({ count: 0, total: 0, least: Infinity, most: -Infinity })

export const seriesMethods: Readonly<Record<string, NodeMethod>> = {
  /** Describes the fields of a series, and with `parts` or `latest` the points of a time window. */
  async 'series.about'(node, params) {
    const input = parseInput(Asked, params)
    const { account } = await loadedOf(node, params)
    const holder = findEvent(account.db, account.prefix, input.event)
    if (holder === undefined) throw new Failure('unknown-resource', `Unknown event "${input.event}".`)
    const { id, type, time } = holder
    const shape = node.eventTypes.seriesFields(type)
    if (shape === undefined) {
      throw new Failure('invalid-operation', `The event is of type "${type}", which is not a series type.`, { type })
    }
    const about = {
      id,
      type,
      time,
      shape: Object.fromEntries(shape),
      last: lastDelta(account.db, account.prefix, id) ?? null,
    }
    return { ...about, ...(await foundIn(account, shape, input)) }
  },
}

async function foundIn(account: Account, shape: SeriesFields, input: z.output<typeof Asked>): Promise<Result> {
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
  const tail: Points[] = []
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

const described = ({ count, total, least: min, most: max }: Sum): object =>
  count === 0 ? { count } : { count, mean: total / count, least: min, most: max }

/** Keeps the pages that hold the last points. */
function keepTail(tail: Points[], points: Points, max: number): void {
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

function add({ deltaTimes, columns }: Points, field: string, { all, sums, from, length }: Summing): void {
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
