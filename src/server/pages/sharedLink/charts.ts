/** Reads the numeric groups that a shared link opens, for its charts. */
import { summary as eventsSummary } from '../../api/events/summary.js'
import { readAsOwner } from '../session.js'
import type { ChartBuckets } from '../events/lineChart.js'
import type { SharedVisit } from './views.js'

/** Lengths of time that charts show, in days; `all` for the time of all values. */
export const spans = ['all', '365', '30', '7'] as const
export type Span = (typeof spans)[number]

export interface ChartGroup {
  streamId: string
  type: string
  field: string
  count: number
  last?: number
  buckets: ChartBuckets
}

interface Charts {
  groups: ChartGroup[]
  from: number
  to: number
  /** True if there are more groups than shown. */
  hasMore: boolean
}

interface SummaryGroup {
  streamId?: string
  type: string
  field: string
  count: number
  last: { value?: number }
  buckets: { index: number[]; min?: (number | null)[]; max?: (number | null)[]; mean?: (number | null)[] }
}

const MAX_CHARTS = 12
/** Number of buckets of a chart. */
export const CHART_POINTS = 120
const DAY_SECONDS = 86_400

/** Returns the length of time in an address. */
export const spanOf = (query: URLSearchParams): Span => spans.find((span) => span === query.get('span')) ?? 'all'

/** Reads the numeric groups of a stream and those below it, or of all streams of the link, the largest first. */
export async function readCharts(visit: SharedVisit, stream: string | undefined, span: Span): Promise<Charts> {
  const now = visit.node.clock.now()
  const range = span === 'all' ? {} : { fromTime: now - Number(span) * DAY_SECONDS, toTime: now }
  const params = { ...(stream === undefined ? {} : { streams: [stream] }), ...range, points: CHART_POINTS }
  const { summary } = (await readAsOwner(visit, visit.session, eventsSummary, params)) as {
    summary: { fromTime?: number; toTime?: number; groups: SummaryGroup[]; more?: boolean }
  }
  const groups = summary.groups.flatMap(({ streamId, type, field, count, last, buckets }) => {
    const { index, min, max, mean } = buckets
    if (streamId === undefined || min === undefined || max === undefined || mean === undefined || index.length === 0) return []
    return [{ streamId, type, field, count, ...(last.value === undefined ? {} : { last: last.value }), buckets: { index, min, max, mean } }]
  })
  groups.sort((a, b) => b.count - a.count)
  return { groups: groups.slice(0, MAX_CHARTS), from: summary.fromTime ?? now, to: summary.toTime ?? now, hasMore: groups.length > MAX_CHARTS || summary.more === true }
}
