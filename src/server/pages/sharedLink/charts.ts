/** Reads the numbers and series that a shared link opens, for its charts. */
import { chartOfGroup, readSeriesCharts, seriesEventsOf, summaryOf, type Chart } from '../console/charts/chartData.js'
import type { SharedVisit } from './views.js'

/** Lengths of time that charts show, in days; `all` for the time of all values. */
export const spans = ['all', '365', '30', '7'] as const
type Span = (typeof spans)[number]

/** A chart with its latest value. */
export interface SharedChart extends Chart {
  last?: number
}

interface Charts {
  charts: SharedChart[]
  /** True if there are more charts than shown. */
  hasMore: boolean
}

const MAX_CHARTS = 12
/** Maximum number of groups of series, by stream and type, whose latest events are shown. */
const MAX_SERIES_GROUPS = 6
/** Number of buckets of a chart. */
const CHART_POINTS = 120
const DAY_SECONDS = 86_400

/** Returns the length of time in an address. */
export const spanOf = (query: URLSearchParams): Span => spans.find((span) => span === query.get('span')) ?? 'all'

/** Reads the charts of a stream and those below it, or of all streams of the link: series, and groups with the most values. */
export async function readCharts(visit: SharedVisit, stream: string | undefined, span: Span): Promise<Charts> {
  const now = visit.node.clock.now()
  const range = span === 'all' ? {} : { from: now - Number(span) * DAY_SECONDS, to: now }
  const times = range.from === undefined ? {} : { fromTime: range.from, toTime: range.to }
  const summary = await summaryOf(visit, { ...(stream === undefined ? {} : { streams: [stream] }), ...times, points: CHART_POINTS })
  const charts: SharedChart[] = []
  for (const { id } of await seriesEventsOf(visit, summary.groups, MAX_SERIES_GROUPS)) {
    if (charts.length < MAX_CHARTS) charts.push(...(await readSeriesCharts(visit, id, range, CHART_POINTS)))
  }
  const ofEvents = summary.groups.flatMap((group): SharedChart[] => {
    const chart = chartOfGroup(group, summary, CHART_POINTS)
    return chart === undefined ? [] : [{ ...chart, ...(group.last.value === undefined ? {} : { last: group.last.value }) }]
  })
  charts.push(...ofEvents.sort((a, b) => b.count - a.count))
  return { charts: charts.slice(0, MAX_CHARTS), hasMore: charts.length > MAX_CHARTS || summary.more === true }
}
