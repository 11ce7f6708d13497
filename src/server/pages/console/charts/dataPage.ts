/** Values of one chart as JSON, for the script of the charts: a bucket for each pixel, gaps as null. */
import { Failure } from '../../../../store/model/failure.js'
import type { Answer, Page } from '../../page.js'
import { problemOf } from '../../problem.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { parseKey } from './chartKey.js'
import { readChart, type Chart } from './chartData.js'
import { spanIn } from './span.js'
import { DATA_PATH } from './view.js'

const MIN_POINTS = 10
const MAX_POINTS = 4000
/** Lines are interrupted where a gap is longer than this multiple of the usual distance of values. */
const GAP = 4

/** Columns of the values, as uPlot takes them. Times are in seconds. */
interface ChartColumns {
  x: number[]
  min: (number | null)[]
  max: (number | null)[]
  mean: (number | null)[]
  from: number
  to: number
}

export const chartDataPage: Page = consolePage({
  path: DATA_PATH,
  section: 'charts',
  show: (visit) => data(visit),
})

async function data(visit: ConsoleVisit): Promise<Answer> {
  const { query, node } = visit
  const key = parseKey(query.get('show') ?? '')
  const points = Number(query.get('points') ?? 1000)
  if (key === undefined || !Number.isSafeInteger(points)) return json({ error: 'show or points is wrong' }, 400)
  try {
    const chart = await readChart(visit, key, spanIn(query, node.clock.now()), Math.min(Math.max(points, MIN_POINTS), MAX_POINTS))
    return json(chart === undefined ? { x: [], min: [], max: [], mean: [] } : columnsOf(chart), 200)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { text, status } = problemOf(visit, error)
    return json({ error: text }, status)
  }
}

const json = (value: unknown, status: number): Answer => ({
  response: new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
})

/** Returns the columns of a chart, with a bucket without values in each long gap. */
function columnsOf({ times, buckets, from, to }: Chart): ChartColumns {
  const distances = times.slice(1).map((time, at) => time - (times[at] ?? time))
  const usual = [...distances].sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0
  const columns: ChartColumns = { x: [], min: [], max: [], mean: [], from, to }
  const add = (time: number, min: number | null, max: number | null, mean: number | null): void => {
    columns.x.push(time)
    columns.min.push(min)
    columns.max.push(max)
    columns.mean.push(mean)
  }
  for (const [at, time] of times.entries()) {
    const before = times[at - 1]
    if (before !== undefined && time - before > GAP * usual) add((before + time) / 2, null, null, null)
    add(time, buckets.min[at] ?? null, buckets.max[at] ?? null, buckets.mean[at] ?? null)
  }
  return columns
}
