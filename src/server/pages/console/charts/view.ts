/** Content of a page of charts, which its address states in full, so that a link opens the same charts again. */
import { linkTo } from '../../links.js'
import type { OwnVisit } from '../../page.js'
import { keysIn, keyText, MAX_CHARTS, type ChartKey, type EventsKey, type SeriesKey } from './chartKey.js'
import { readSeries, readSeriesCharts, readStream, type Chart, type ChartPeriod } from './chartData.js'
import { isCalendarType, readCalendar, type CalendarMonth } from './calendar.js'
import { spanIn, spanParameters, type Span } from './span.js'
import { placesOf, TRACK_POINTS } from './track.js'

export const CHARTS_PATH = '/charts'
export const DATA_PATH = '/charts/data'

/** Buckets of a chart that is drawn without scripts. */
const POINTS = 240

export interface ChartsView {
  /** Charts that the address names one by one. */
  keys: readonly ChartKey[]
  /** A stream, all charts of which are shown. */
  stream?: string
  /** A series event, all charts of which are shown. */
  event?: string
  span: Span
}

/** A part of the page. */
export type Part =
  | { kind: 'line'; chart: Chart }
  | { kind: 'calendar'; streamId: string; type: string; months: CalendarMonth[]; count: number }
  | { kind: 'track'; streamId: string; places: ReturnType<typeof placesOf> }
  | { kind: 'periods'; streamId: string; type: string; periods: ChartPeriod[]; from: number; to: number }

/** Reads what a page shows from its address; undefined if it names no chart. */
export function viewIn({ query, node }: OwnVisit): ChartsView | undefined {
  const span = spanIn(query, node.clock.now())
  const keys = keysIn(query)
  if (keys.length > 0) return { keys, span }
  const [stream, event] = [query.get('stream'), query.get('event')]
  if (stream !== null && stream !== '') return { keys: [], stream, span }
  return event === null || event === '' ? undefined : { keys: [], event, span }
}

/** Returns the address of a page of charts. */
export function viewLink(visit: OwnVisit, { keys, stream, event, span }: ChartsView): string {
  const named = { ...(stream === undefined ? {} : { stream }), ...(event === undefined ? {} : { event }) }
  const link = linkTo(visit, CHARTS_PATH, { ...named, ...spanParameters(span) })
  if (keys.length === 0) return link
  const shown = keys.map((key) => `show=${encodeURIComponent(keyText(key))}`).join('&')
  return `${link}${link.includes('?') ? '&' : '?'}${shown}`
}

/**
 * Reads the parts of a page.
 * @throws Failure of events.summary, series.summary and events.getOne
 */
export async function readParts(visit: OwnVisit, { keys, stream, event, span }: ChartsView): Promise<Part[]> {
  if (stream !== undefined) return partsOfStream(visit, stream, span)
  if (event !== undefined) return (await readSeriesCharts(visit, event, span, POINTS)).slice(0, MAX_CHARTS).map((chart) => ({ kind: 'line', chart }))
  const parts: Part[] = []
  for (const streamId of new Set(keys.flatMap((key) => (key.kind === 'events' ? [key.streamId] : [])))) {
    const ofStream = keys.filter((key): key is EventsKey => key.kind === 'events' && key.streamId === streamId)
    parts.push(...(await partsOfStream(visit, streamId, span, ofStream)))
  }
  for (const key of keys.filter((each): each is SeriesKey => each.kind === 'series')) {
    const chart = await readSeries(visit, key, span, POINTS)
    if (chart !== undefined) parts.push({ kind: 'line', chart })
  }
  return parts
}

/** Reads the parts of a stream, all or those of some charts. */
async function partsOfStream(visit: OwnVisit, streamId: string, span: Span, keys?: readonly EventsKey[]): Promise<Part[]> {
  const types = keys === undefined ? undefined : [...new Set(keys.map(({ type }) => type))]
  const { charts, periods, from, to } = await readStream(visit, streamId, span, POINTS, types)
  const isNamed = ({ type, key }: Chart): boolean => keys === undefined || keys.some((each) => each.type === type && each.field === key.field)
  const parts: Part[] = []
  for (const chart of charts.filter(isNamed).slice(0, MAX_CHARTS)) {
    const { type, key, count } = chart
    if (isCalendarType(type)) {
      const months = await readCalendar(visit, { streamId, type }, span.to ?? to ?? visit.node.clock.now())
      parts.push({ kind: 'calendar', streamId, type, months, count })
    } else if (type.startsWith('position/') && (key.field === 'latitude' || key.field === 'longitude')) {
      if (!parts.some((part) => part.kind === 'track')) parts.push(await readTrack(visit, streamId, type, span))
    } else parts.push({ kind: 'line', chart })
  }
  if (from === undefined || to === undefined) return parts
  for (const type of new Set(periods.map((period) => period.type))) {
    parts.push({ kind: 'periods', streamId, type, periods: periods.filter((period) => period.type === type), from: span.from ?? from, to: span.to ?? Math.max(to, ...periods.map((period) => period.to)) })
  }
  return parts
}

async function readTrack(visit: OwnVisit, streamId: string, type: string, span: Span): Promise<Part> {
  const { charts } = await readStream(visit, streamId, span, TRACK_POINTS, [type])
  const [latitude, longitude] = ['latitude', 'longitude'].map((field) => charts.find((chart) => chart.key.field === field))
  return { kind: 'track', streamId, places: latitude === undefined || longitude === undefined ? [] : placesOf(latitude, longitude) }
}
