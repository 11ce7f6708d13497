/** @jsxImportSource hono/jsx */
/** Charts of the numbers and series that a shared link opens. */
import { Empty } from '../console/components.js'
import { soon } from '../console/soon.js'
import type { StreamList } from '../console/streams.js'
import { fieldName, numberText, typeName, unitOf, valueText } from '../events/eventValue.js'
import { LineChart } from '../events/lineChart.js'
import { linkTo } from '../links.js'
import { readCharts, spanOf, spans, type SharedChart } from './charts.js'
import { SHARED_PATH } from './sharedFrame.js'
import type { TabContent } from './tabs.js'
import type { SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

export async function chartsTab(visit: SharedVisit, streams: StreamList, stream: string | undefined): Promise<TabContent> {
  const words = sharedLinkWords[visit.language]
  const span = spanOf(visit.query)
  const found = await soon(readCharts(visit, stream, span), visit)
  if (found === undefined) return { body: <p role="status">{words.chartsLater}</p>, isLate: true }
  const { charts, hasMore } = found
  const places = new Map(streams.ordered.map(({ id }, at) => [id, at]))
  const placeOf = ({ streamId = '' }: SharedChart): number => places.get(streamId) ?? Infinity
  const ordered = [...charts].sort((a, b) => placeOf(a) - placeOf(b) || b.count - a.count)
  const parameters = { view: visit.viewId, ...(stream === undefined ? {} : { stream }), show: 'charts' }
  const body = (
    <>
      <nav class="spans" aria-label={words.span}>
        {spans.map((each) => (
          <a href={linkTo(visit, SHARED_PATH, { ...parameters, span: each })} {...(each === span ? { 'aria-current': 'true' } : {})}>
            {words.spans[each]}
          </a>
        ))}
      </nav>
      {charts.length === 0 ? <Empty icon="chart" text={words.noCharts} /> : null}
      <div class="charts">
        {ordered.map((chart, at) => (
          <Chart visit={visit} streams={streams} chart={chart} id={`chart-${at}`} />
        ))}
      </div>
      {hasMore ? <p class="small soft">{words.moreCharts}</p> : null}
    </>
  )
  return { body, isLate: false }
}

function Chart({ visit, streams, chart, id }: { visit: SharedVisit; streams: StreamList; chart: SharedChart; id: string }) {
  const words = sharedLinkWords[visit.language]
  const { streamId = '', type, key, count, last, buckets, from, to, points } = chart
  const isValue = key.field === ''
  const ofSeries = key.kind === 'series' ? [typeName(type, visit)] : []
  const title = [streams.byId.get(streamId)?.name ?? streamId, ...ofSeries, ...(isValue ? [typeName(type, visit)] : [fieldName(key.field)])].join(' · ')
  const latest = last === undefined ? undefined : isValue ? valueText({ type, content: last }, visit) : numberText(last, visit.language)
  return (
    <div class="card">
      <div class="chart-head">
        <h3 dir="auto">{title}</h3>
        <p class="small soft">{[words.values(count), ...(latest === undefined ? [] : [words.lastValue(latest)])].join(' · ')}</p>
      </div>
      <LineChart visit={visit} id={id} title={title} buckets={buckets} from={from} to={to} points={points} unit={isValue ? unitOf(type, visit) : undefined} />
    </div>
  )
}
