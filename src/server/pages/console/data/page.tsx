/** @jsxImportSource hono/jsx */
/** The section of data: the tree of streams, and the timeline of events of one of them or of all. */
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { Done, Menu } from '../components.js'
import { consolePage, missingContent, type ConsoleVisit } from '../consolePage.js'
import { loadStreams, type ListedStream, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { dataAssets } from './dataAssets.js'
import { DATA_PATH, filtersOf, streamLink } from './filters.js'
import { pathIds } from './streamTree.js'
import { loadSummaries } from './summaries.js'
import { readTimeline } from './timeline.js'
import { FilterForm, Timeline } from './timelineView.js'
import { StreamNavigation } from './treeView.js'
import { dataWords } from './words.js'

/** Maximum length of a name in the title of a page. */
const MAX_TITLE = 120

export const dataPage: Page = consolePage({
  path: DATA_PATH,
  section: 'data',
  async show(visit) {
    const words = dataWords[visit.language]
    const filters = filtersOf(visit)
    const streams = await loadStreams(visit, 'all')
    const chosen = filters.stream === undefined ? undefined : streams.byId.get(filters.stream)
    if (filters.stream !== undefined && chosen === undefined) return missingStream(visit)
    // Entries of a stream in the trash are shown without a filter.
    const state = chosen?.isTrashed === true && filters.state === 'default' ? 'all' : filters.state
    const page = await readTimeline(visit, { ...filters, state })
    const summaries = await loadSummaries(visit)
    const done = Object.entries(words.done).find(([name]) => name === visit.query.get('done'))?.[1]
    const body = (
      <div class="data">
        <StreamNavigation visit={visit} streams={state === 'default' ? withoutTrash(streams) : streams} summaries={summaries} chosen={chosen} />
        <div class="data-main">
          <Done text={done} />
          {chosen === undefined ? null : <Breadcrumbs visit={visit} streams={streams} chosen={chosen} />}
          <Actions visit={visit} chosen={chosen} />
          <FilterForm visit={visit} filters={filters} summaries={summaries} page={page} />
          <Timeline visit={visit} filters={filters} page={page} streams={streams} chosen={chosen} />
        </div>
      </div>
    )
    return { title: chosen === undefined ? consoleWords[visit.language].sections.data : shortName(chosen.name), body, assets: dataAssets }
  },
})

/** Shortens a name for the title of a page. */
export const shortName = (name: string): string => (name.length > MAX_TITLE ? `${name.slice(0, MAX_TITLE).trimEnd()}…` : name)

/** Returns the page for a stream that does not exist. */
export function missingStream(visit: ConsoleVisit): Answer {
  const words = dataWords[visit.language]
  return missingContent(visit, words.unknownStream, words.unknownStreamText)
}

function withoutTrash({ ordered, byId, pathOf }: StreamList): StreamList {
  const visible = ordered.filter(({ isTrashed }) => !isTrashed)
  return visible.length === ordered.length ? { ordered, byId, pathOf } : { ordered: visible, byId: new Map(visible.map((stream) => [stream.id, stream])), pathOf }
}

function Breadcrumbs({ visit, streams, chosen }: { visit: ConsoleVisit; streams: StreamList; chosen: ListedStream }) {
  const words = dataWords[visit.language]
  const above = pathIds(streams, chosen.id).slice(0, -1)
  return (
    <p class="small crumbs" dir="auto">
      <a href={streamLink(visit, null)}>{words.allStreams}</a>
      {above.map((id) => (
        <>
          {' / '}
          <a href={streamLink(visit, id)}>{shortName(streams.byId.get(id)?.name ?? id)}</a>
        </>
      ))}
      {chosen.isTrashed ? <span class="tag">{words.isTrashed}</span> : null}
    </p>
  )
}

function Actions({ visit, chosen }: { visit: ConsoleVisit; chosen: ListedStream | undefined }) {
  const words = dataWords[visit.language]
  const stream = chosen === undefined ? {} : { stream: chosen.id }
  return (
    <div class="bar actions">
      {chosen?.isTrashed === true ? null : (
        <>
          <a class="button" href={linkTo(visit, '/event/new', stream)}>
            {words.addEvent}
          </a>
          <a class="button second" href={linkTo(visit, '/upload', stream)}>
            {words.upload}
          </a>
          <a class="button second" href={linkTo(visit, '/charts', stream)}>
            {words.charts}
          </a>
        </>
      )}
      <Menu label={words.actions}>
        <ul class="plain">
          {chosen?.isTrashed === true ? null : (
            <>
              <li>
                <a href={linkTo(visit, '/event/several', stream)}>{words.addSeveral}</a>
              </li>
              <li>
                <a href={linkTo(visit, '/access/link/new', stream)}>{words.share}</a>
              </li>
              <li>
                <a href={linkTo(visit, '/data/stream/new', chosen === undefined ? {} : { parent: chosen.id })}>{chosen === undefined ? words.newStream : words.newBelow}</a>
              </li>
            </>
          )}
          {chosen === undefined ? null : (
            <li>
              <a href={linkTo(visit, '/data/stream', { id: chosen.id })}>
                {words.edit}
              </a>
            </li>
          )}
        </ul>
      </Menu>
    </div>
  )
}
