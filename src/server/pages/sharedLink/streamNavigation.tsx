/** @jsxImportSource hono/jsx */
/** Links to the streams that a shared link opens. A long list is shortened, and a search field finds the others. */
import { SearchForm } from '../layout.js'
import { linkTo } from '../links.js'
import { streamSearch, type ListedStream, type StreamList } from '../console/streams.js'
import { SHARED_PATH } from './sharedFrame.js'
import { tabParameters, type TabName } from './tabs.js'
import type { SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

/** Maximum number of streams that the list shows. */
const MAX_SHOWN = 100
const MAX_FIND = 200
const MAX_DEPTH = 4

interface StreamNavigationProps {
  visit: SharedVisit
  streams: StreamList
  /** Id of the shown stream; undefined for all. */
  stream: string | undefined
  tab: TabName
}

export function StreamNavigation({ visit, streams, stream, tab }: StreamNavigationProps) {
  const words = sharedLinkWords[visit.language]
  const find = (visit.query.get('find') ?? '').slice(0, MAX_FIND)
  const found = find === '' ? streams.ordered : streams.ordered.filter(streamSearch(find))
  const shown = found.slice(0, MAX_SHOWN)
  const chosen = stream === undefined ? undefined : streams.byId.get(stream)
  const listed = chosen === undefined || shown.includes(chosen) ? shown : [chosen, ...shown]
  const show: Record<string, string> = { view: visit.viewId, ...tabParameters(tab) }
  const link = (text: string, of: ListedStream | undefined) => (
    <a
      href={linkTo(visit, SHARED_PATH, { ...show, ...(of === undefined ? {} : { stream: of.id }), ...(find === '' ? {} : { find }) })}
      {...(of?.id === stream ? { 'aria-current': 'true' } : {})}
      dir="auto"
    >
      {text}
    </a>
  )
  return (
    <nav class="shared-streams" aria-label={words.streams}>
      <details open>
        <summary>{words.streams}</summary>
        {streams.ordered.length > MAX_SHOWN ? <FindForm visit={visit} find={find} parameters={show} /> : null}
        <ul>
          <li>{link(words.allStreams, undefined)}</li>
          {listed.map((each) => (
            <li class={`depth-${find === '' ? Math.min(each.depth, MAX_DEPTH) : 0}`}>{link(find === '' ? each.name : each.path, each)}</li>
          ))}
        </ul>
        {found.length === 0 ? <p class="small soft">{words.noStreams}</p> : null}
        {found.length > shown.length ? <p class="small soft">{words.moreStreams(found.length - shown.length)}</p> : null}
      </details>
    </nav>
  )
}

function FindForm({ visit, find, parameters }: { visit: SharedVisit; find: string; parameters: Readonly<Record<string, string>> }) {
  const words = sharedLinkWords[visit.language]
  return (
    <SearchForm visit={visit} path={SHARED_PATH} parameters={parameters} more={{ role: 'search' }}>
      <label class="hidden" for="find">
        {words.findStreams}
      </label>
      <input id="find" type="search" name="find" value={find} maxlength={MAX_FIND} placeholder={words.findStreams} dir="auto" />
      <button class="second small">{words.find}</button>
    </SearchForm>
  )
}
