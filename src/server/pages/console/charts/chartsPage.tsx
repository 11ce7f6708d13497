/** @jsxImportSource hono/jsx */
/** Charts: a list of what can be drawn, or the charts that the address names. The node summarises values, so each is fast. */
import { Failure } from '../../../../store/model/failure.js'
import { LineChart, lineChartStyle } from '../../events/lineChart.js'
import { unitOf } from '../../events/eventValue.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { Empty, Tabs } from '../components.js'
import { consolePage, missingContent, type ConsoleVisit } from '../consolePage.js'
import { soon } from '../soon.js'
import { loadStreams, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { chartScript, chartStyle } from './chartAssets.js'
import { Bands } from './bands.js'
import { Calendar } from './calendar.js'
import { keyText } from './chartKey.js'
import { chartTitle, partTitle } from './titles.js'
import { listView } from './listView.js'
import { columnsOf } from './columns.js'
import { movedBy, spanNames, spanParameters } from './span.js'
import { Track } from './track.js'
import { chartLibrary } from './uplot.js'
import { CHARTS_PATH, DATA_PATH, readParts, viewIn, viewLink, type ChartsView, type Part } from './view.js'
import { chartWords } from './words.js'

/** Time in milliseconds that the page waits for values: longer than others, since it consists of them. */
const WAIT_MS = 200

export const chartsPage: Page = consolePage({
  path: CHARTS_PATH,
  section: 'charts',
  async show(visit) {
    const streams = await loadStreams(visit)
    const view = viewIn(visit)
    return view === undefined ? listView(visit, streams) : chartsView(visit, streams, view)
  },
})

async function chartsView(visit: ConsoleVisit, streams: StreamList, view: ChartsView): Promise<Answer> {
  const { language } = visit
  const words = chartWords[language]
  const title = view.stream === undefined ? consoleWords[language].sections.charts : chartTitle(streams.pathOf(view.stream), language)
  let parts: Part[] | undefined
  try {
    parts = await soon(readParts(visit, view), { waitMs: visit.waitMs ?? WAIT_MS })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return missingContent(visit, title, error.message)
  }
  const body = (
    <>
      <Spans visit={visit} view={view} />
      {parts === undefined ? (
        <div id="charts" data-live="yes">
          <p class="soft" data-later="yes">
            {words.reading} <a href={viewLink(visit, view)}>{words.reload}</a>
          </p>
        </div>
      ) : (
        <div id="charts">
          {parts.length === 0 ? <Empty icon="chart" text={words.nothingInSpan} /> : null}
          {parts.map((part, at) => (
            <PartView visit={visit} streams={streams} view={view} part={part} at={at} />
          ))}
        </div>
      )}
      <p class="buttons">
        <a class="button second" href={linkTo(visit, CHARTS_PATH)}>
          {words.compare}
        </a>
        {view.stream === undefined ? null : (
          <>
            <a class="button second" href={linkTo(visit, '/data', { stream: view.stream })}>
              {words.data}
            </a>
            <a class="button second" href={linkTo(visit, '/event/new', { stream: view.stream })}>
              {words.add}
            </a>
          </>
        )}
      </p>
    </>
  )
  return { title, body, assets: [chartStyle, lineChartStyle, ...chartLibrary(), chartScript] }
}

function Spans({ visit, view }: { visit: ConsoleVisit; view: ChartsView }) {
  const words = chartWords[visit.language]
  const to = (span: ChartsView['span']): string => viewLink(visit, { ...view, span })
  const [earlier, later] = [movedBy(view.span, -1), movedBy(view.span, 1)]
  return (
    <>
      <Tabs label={words.span} tabs={spanNames.map((name) => ({ text: words.spans[name], href: to({ name }), isCurrent: view.span.name === name }))} />
      {earlier === undefined || later === undefined ? null : (
        <p class="split small">
          <a href={to(earlier)}>{words.earlier}</a>
          <a href={to(later)}>{words.later}</a>
        </p>
      )}
    </>
  )
}

interface PartProps {
  visit: ConsoleVisit
  streams: StreamList
  view: ChartsView
  part: Part
  at: number
}

function PartView({ visit, streams, view, part, at }: PartProps) {
  const { language } = visit
  const words = chartWords[language]
  const title = partTitle(visit, streams, part)
  const count = part.kind === 'line' ? part.chart.count : part.kind === 'calendar' ? part.count : undefined
  const key = part.kind === 'line' && view.keys.length > 1 ? keyText(part.chart.key) : undefined
  return (
    <section class="card chart-part" aria-labelledby={`part-${at}`}>
      <div class="chart-head">
        <h2 class="grow" id={`part-${at}`} dir="auto">
          {title}
        </h2>
        {count === undefined ? null : (
          <span class="soft small" id={`count-${at}`} data-live="yes">
            {words.values(count)}
          </span>
        )}
        {key === undefined ? null : (
          <a class="small" href={viewLink(visit, { ...view, keys: view.keys.filter((each) => keyText(each) !== key) })} aria-label={`${words.remove}: ${title}`}>
            {words.remove}
          </a>
        )}
      </div>
      <Content visit={visit} view={view} part={part} title={title} id={`chart-${at}`} />
    </section>
  )
}

interface ContentProps {
  visit: ConsoleVisit
  view: ChartsView
  part: Part
  title: string
  id: string
}

function Content({ visit, view, part, title, id }: ContentProps) {
  switch (part.kind) {
    case 'calendar':
      return <Calendar visit={visit} title={title} type={part.type} months={part.months} />
    case 'track':
      return <Track language={visit.language} title={title} places={part.places} />
    case 'periods':
      return <Bands visit={visit} title={title} periods={part.periods} from={part.from} to={part.to} />
    case 'line': {
      const { key, type, buckets, from, to, points } = part.chart
      const unit = unitOf(type, visit)
      const data = linkTo(visit, DATA_PATH, { ...spanParameters(view.span), show: keyText(key) })
      return (
        <div class="plot" data-chart={data} data-values={JSON.stringify(columnsOf(part.chart))} {...(unit === undefined ? {} : { 'data-unit': unit })}>
          <LineChart visit={visit} id={id} title={title} buckets={buckets} from={from} to={to} points={points} unit={unit} />
        </div>
      )
    }
  }
}
