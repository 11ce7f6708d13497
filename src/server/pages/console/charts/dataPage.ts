/** Values of one chart as JSON, for the script of the charts: a bucket for each pixel, gaps as null. */
import { Failure } from '../../../../store/model/failure.js'
import type { Answer, Page } from '../../page.js'
import { problemOf } from '../../problem.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { parseKey } from './chartKey.js'
import { readChart } from './chartData.js'
import { columnsOf } from './columns.js'
import { spanIn } from './span.js'
import { DATA_PATH } from './view.js'

const MIN_POINTS = 10
const MAX_POINTS = 4000

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
