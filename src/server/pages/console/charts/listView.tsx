/** @jsxImportSource hono/jsx */
/** List of what can be drawn: the numeric fields of events by stream and type, and series. */
import type { Event } from '../../../../store/model/event.js'
import { peopleStreamsQuery } from '../../../../store/model/peopleStreams.js'
import { valueText } from '../../events/eventValue.js'
import { SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer } from '../../page.js'
import { timeText } from '../../times.js'
import { Empty, Pager, pageNumber } from '../components.js'
import type { ConsoleVisit } from '../consolePage.js'
import { soon } from '../soon.js'
import type { StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { chartStyle } from './chartAssets.js'
import { chartOfGroup, seriesEventsOf, summaryOf, type Chart, type Group } from './chartData.js'
import { keyText } from './chartKey.js'
import { Sparkline } from './sparkline.js'
import { groupTitle } from './titles.js'
import { CHARTS_PATH } from './view.js'
import { chartWords } from './words.js'

const POINTS = 40
const PER_PAGE = 25
/** Maximum number of groups of series whose events are listed. */
const MAX_SERIES_GROUPS = 20

interface Choice {
  title: string
  group: Group
  chart: Chart
}

export async function listView(visit: ConsoleVisit, streams: StreamList): Promise<Answer> {
  const words = chartWords[visit.language]
  const title = consoleWords[visit.language].sections.charts
  const found = await soon(readChoices(visit, streams), visit)
  const body =
    found === undefined ? (
      <div id="charts" data-live="yes">
        <p class="soft" data-later="yes">
          {words.reading} <a href={linkTo(visit, CHARTS_PATH)}>{words.reload}</a>
        </p>
      </div>
    ) : (
      <div id="charts">
        <Choices visit={visit} {...found} />
        {found.hasMore ? <StreamSearch visit={visit} streams={streams} /> : null}
      </div>
    )
  return { title, body, assets: [chartStyle] }
}

interface Drawable {
  choices: Choice[]
  series: { title: string; event: Event }[]
  /** True if streams with few values were left out. */
  hasMore: boolean
}

async function readChoices(visit: ConsoleVisit, streams: StreamList): Promise<Drawable> {
  const summary = await summaryOf(visit, { streams: [peopleStreamsQuery], points: POINTS })
  const choices = summary.groups.flatMap((group) => {
    const chart = chartOfGroup(group, summary, POINTS)
    return chart === undefined ? [] : [{ group, chart, title: groupTitle(visit, streams, group as Required<Group>) }]
  })
  choices.sort((a, b) => a.title.localeCompare(b.title, visit.language))
  const events = await seriesEventsOf(visit, summary.groups, MAX_SERIES_GROUPS)
  const series = events.map((event) => ({ event, title: groupTitle(visit, streams, { streamId: event.streamIds[0], type: event.type, field: '' }) }))
  return { choices, series, hasMore: summary.more === true }
}

function Choices({ visit, choices, series }: { visit: ConsoleVisit } & Drawable) {
  const words = chartWords[visit.language]
  if (choices.length === 0 && series.length === 0) {
    return (
      <Empty icon="chart" text={words.none}>
        <p>{words.noneHint}</p>
        <p class="buttons centred">
          <a class="button" href={linkTo(visit, '/event/new')}>
            {words.add}
          </a>
        </p>
      </Empty>
    )
  }
  const pages = Math.ceil(choices.length / PER_PAGE)
  const page = pageNumber(visit.query, pages)
  return (
    <>
      {choices.length === 0 ? null : (
        <SearchForm visit={visit} path={CHARTS_PATH}>
          <p class="soft">{words.chooseHint}</p>
          <ul class="rows">
            {choices.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((choice) => (
              <ChoiceRow visit={visit} choice={choice} />
            ))}
          </ul>
          <Pager visit={visit} path={CHARTS_PATH} page={page} pages={pages} />
          <p class="buttons">
            <button>{words.showTogether}</button>
          </p>
        </SearchForm>
      )}
      {series.length === 0 ? null : (
        <>
          <h2>{words.series}</h2>
          <ul class="rows">
            {series.map(({ event, title }) => (
              <li>
                <a class="entry-link" href={linkTo(visit, CHARTS_PATH, { event: event.id })}>
                  <span class="grow" dir="auto">
                    {title}
                  </span>
                  <span class="soft small">{timeText(event.time, visit)}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ChoiceRow({ visit, choice: { title, group, chart } }: { visit: ConsoleVisit; choice: Choice }) {
  const words = chartWords[visit.language]
  const text = keyText(chart.key)
  const { value } = group.last
  return (
    <li class="chart-choice">
      <label>
        <input type="checkbox" name="show" value={text} />
        <span dir="auto">{title}</span>
      </label>
      <Sparkline buckets={chart.buckets} points={chart.points} />
      <span class="soft small number">
        {words.values(group.count)}
        {value === undefined ? '' : ` · ${words.latest} ${valueText({ type: group.type, content: group.type.startsWith('boolean/') ? value === 1 : value }, visit)}`}
      </span>
      <a class="small" href={linkTo(visit, CHARTS_PATH, { show: text })} aria-label={`${words.show}: ${title}`}>
        {words.show}
      </a>
    </li>
  )
}

/** Maximum number of streams offered by name. */
const MAX_STREAMS = 1000

function StreamSearch({ visit, streams }: { visit: ConsoleVisit; streams: StreamList }) {
  const words = chartWords[visit.language]
  return (
    <SearchForm visit={visit} path={CHARTS_PATH} more={{ class: 'bar' }}>
      <p class="grow">
        <label for="stream">{words.partial}</label>
        <input id="stream" name="stream" list="streams" required maxlength={300} />
      </p>
      <datalist id="streams">
        {streams.ordered.slice(0, MAX_STREAMS).map(({ id, path }) => (
          <option value={id}>{path}</option>
        ))}
      </datalist>
      <button class="second">{words.show}</button>
    </SearchForm>
  )
}
