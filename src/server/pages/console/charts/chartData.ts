/** Values of charts, which the node summarises: at most some thousand buckets with extremes and mean, whatever the number of values. */
import type { Event } from '../../../../store/model/event.js'
import { get as getEvents } from '../../../api/events/get.js'
import { getOne } from '../../../api/events/getOne.js'
import { summary as eventsSummary } from '../../../api/events/summary.js'
import { summary as seriesSummary } from '../../../api/series/summary.js'
import type { ChartBuckets } from '../../events/lineChart.js'
import type { OwnVisit } from '../../page.js'
import { readAsOwner } from '../../session.js'
import type { ChartKey, SeriesKey } from './chartKey.js'
import type { Span } from './span.js'

/** The values of one chart. */
export interface Chart {
  key: ChartKey
  type: string
  streamId: string | undefined
  /** Number of values in the span. */
  count: number
  /** Bounds of the buckets, in seconds. */
  from: number
  to: number
  /** Number of buckets between the bounds. */
  points: number
  buckets: ChartBuckets
  /** Time of the middle of each bucket with values, in seconds. */
  times: number[]
}

/** Charts and periods of one stream. */
interface StreamCharts {
  charts: Chart[]
  /** Events with a duration, merged where they touch. */
  periods: ChartPeriod[]
  /** Bounds of the periods, in seconds; absent without events. */
  from?: number
  to?: number
}

/** A group of events.summary. */
export interface Group {
  streamId?: string
  type: string
  field: string
  count: number
  last: { id?: string; time: number; value?: number }
  buckets: { index: number[]; count: number[]; min?: (number | null)[]; max?: (number | null)[]; mean?: (number | null)[] }
}

export interface ChartPeriod {
  streamId?: string
  type: string
  from: number
  to: number
  count: number
}

interface Summary {
  fromTime?: number
  toTime?: number
  groups: Group[]
  periods: ChartPeriod[]
  more?: boolean
}

interface SeriesSummary {
  count: number
  buckets: { from: number[]; to: number[] }
  values: Record<string, { min: (number | null)[]; max: (number | null)[]; mean: (number | null)[] }>
}

/** Maximum number of series events listed of one stream and type. */
const MAX_SERIES = 10
const SERIES = 'series:'

/** Calls events.summary; without `streams`, for all that the access opens. */
export async function summaryOf(visit: OwnVisit, params: Record<string, unknown>): Promise<Summary> {
  const { summary } = await readAsOwner(visit, visit.session, eventsSummary, params)
  return summary as Summary
}

const timesOf = ({ from, to }: Span): Record<string, number> => ({ ...(from === undefined ? {} : { fromTime: from }), ...(to === undefined ? {} : { toTime: to }) })

/**
 * Reads what is drawn of a stream, without those below it, which have charts of their own.
 * @throws Failure of events.summary
 */
export async function readStream(visit: OwnVisit, streamId: string, span: Span, points: number, types?: readonly string[]): Promise<StreamCharts> {
  const summary = await summaryOf(visit, { streams: [`${streamId}!`], points, ...(types === undefined ? {} : { types }), ...timesOf(span) })
  const { fromTime, toTime = fromTime } = summary
  const bounds = fromTime === undefined || toTime === undefined ? {} : { from: fromTime, to: toTime }
  return { charts: summary.groups.flatMap((group) => chartOfGroup(group, summary, points) ?? []), periods: summary.periods, ...bounds }
}

/** Reads the values of a chart; undefined without any in the span, or if its stream or event does not exist. */
export async function readChart(visit: OwnVisit, key: ChartKey, span: Span, points: number): Promise<Chart | undefined> {
  if (key.kind === 'series') return readSeries(visit, key, span, points)
  const { charts } = await readStream(visit, key.streamId, span, points, [key.type])
  return charts.find((chart) => chart.key.field === key.field)
}

/** Returns the chart of a group; undefined for one without numbers. */
export function chartOfGroup(group: Group, { fromTime, toTime }: Pick<Summary, 'fromTime' | 'toTime'>, points: number): Chart | undefined {
  const { streamId, type, field, count, buckets } = group
  const { index, min, max, mean } = buckets
  if (streamId === undefined || min === undefined || max === undefined || mean === undefined || fromTime === undefined) return undefined
  const to = toTime ?? fromTime
  return {
    key: { kind: 'events', streamId, type, field },
    type,
    streamId,
    count,
    from: fromTime,
    to,
    points: to > fromTime ? points : 1,
    buckets: { index, min, max, mean },
    times: index.map((bucket) => fromTime + ((to - fromTime) / points) * (bucket + 0.5)),
  }
}

/** Reads the values of a field of a series. */
export async function readSeries(visit: OwnVisit, { eventId, field }: SeriesKey, span: Span, points: number): Promise<Chart | undefined> {
  const [chart] = await readSeriesCharts(visit, eventId, span, points, [field])
  return chart
}

/** Reads the values of a series: all numeric fields, or some, with one reading. */
export async function readSeriesCharts(visit: OwnVisit, eventId: string, span: Span, points: number, fields?: readonly string[]): Promise<Chart[]> {
  const { event } = (await readAsOwner(visit, visit.session, getOne, { id: eventId })) as { event: Event }
  if (!event.type.startsWith(SERIES)) return []
  const { time } = event
  const window = {
    ...(span.from === undefined ? {} : { fromDeltaTime: span.from - time }),
    ...(span.to === undefined ? {} : { toDeltaTime: span.to - time }),
    ...(fields === undefined ? {} : { fields }),
  }
  const { summary } = (await readAsOwner(visit, visit.session, seriesSummary, { id: eventId, points, ...window })) as { summary: SeriesSummary }
  const { from, to } = summary.buckets
  const [first, last] = [from[0], to.at(-1)]
  if (first === undefined || last === undefined) return []
  const bounds = { from: span.from ?? time + first, to: span.to ?? time + last }
  const length = (bounds.to - bounds.from) / points
  const times = from.map((begin, n) => time + (begin + (to[n] ?? begin)) / 2)
  const bucketOf = (at: number): number => (length === 0 ? 0 : Math.min(points - 1, Math.max(0, Math.floor((at - bounds.from) / length))))
  const index = times.map(bucketOf)
  return Object.entries(summary.values).map(([field, values]) => ({
    key: { kind: 'series', eventId, field },
    type: event.type,
    streamId: event.streamIds[0],
    count: summary.count,
    ...bounds,
    points: length === 0 ? 1 : points,
    buckets: { index, ...values },
    times,
  }))
}

/** Lists the latest series events of the groups of a summary. */
export async function seriesEventsOf(visit: OwnVisit, groups: readonly Group[], maxGroups: number): Promise<Event[]> {
  const found: Event[] = []
  for (const { streamId, type } of groups.filter((group) => group.type.startsWith(SERIES) && group.streamId !== undefined).slice(0, maxGroups)) {
    const params = { streams: [`${streamId ?? ''}!`], types: [type], limit: MAX_SERIES }
    const { events } = (await readAsOwner(visit, visit.session, getEvents, params)) as { events: Event[] }
    found.push(...events)
  }
  return found
}
