/** @jsxImportSource hono/jsx */
/** Files of the account: pictures in a grid, the others in a list, the newest first. */
import { peopleStreamsQuery } from '../../../../store/model/peopleStreams.js'
import { SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Page, PageContent } from '../../page.js'
import { timePositionIn, timePositionParameters, type TimePosition } from '../../timePosition.js'
import { Done, Empty } from '../components.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { soon } from '../soon.js'
import { loadStreams, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { filesStyle } from './filesAssets.js'
import { loadFileEvents, type FilePage } from './fileEvents.js'
import { FileList, filesOfEvents, type ShownFile } from './fileList.js'
import { FILE_PATH } from './filePage.js'
import { UPLOAD_PATH } from './uploadPage.js'
import { filesWords } from './words.js'

const FILES_PATH = '/files'
const PER_PAGE = 48
/** Maximum number of streams in the filter; links of other pages choose the others. */
const MAX_LISTED = 500

export const filesPage: Page = consolePage({ path: FILES_PATH, section: 'files', show: (visit) => filesOf(visit) })

async function filesOf(visit: ConsoleVisit): Promise<PageContent> {
  const { query, language } = visit
  const words = filesWords[language]
  const streams = await loadStreams(visit)
  const requested = query.get('stream') ?? ''
  const stream = streams.byId.get(requested)
  const at = timePositionIn(query)
  const found = await soon(loadFileEvents(visit, [stream?.id ?? peopleStreamsQuery], at, PER_PAGE), visit)
  const body = (
    <>
      <Done text={savedText(visit)} />
      <Filter visit={visit} streams={streams} selected={stream?.id ?? ''} />
      <div id="files" data-live="yes">
        {found === undefined ? (
          <p class="soft" data-later="yes">
            {words.searching} <a href={linkTo(visit, FILES_PATH, stream === undefined ? {} : { stream: stream.id })}>{words.show}</a>
          </p>
        ) : (
          <FoundFiles visit={visit} streams={streams} stream={stream?.id} at={at} found={found} />
        )}
      </div>
    </>
  )
  return { title: words.files, body, assets: [filesStyle] }
}

interface FoundFilesProps {
  visit: ConsoleVisit
  streams: StreamList
  stream: string | undefined
  at: TimePosition | undefined
  found: FilePage
}

function FoundFiles({ visit, streams, stream, at, found: { events, next } }: FoundFilesProps) {
  const words = filesWords[visit.language]
  const files = filesOfEvents(events)
  const open = ({ event }: ShownFile): string => linkTo(visit, '/event', { id: event.id })
  const preview = ({ event, file }: ShownFile, edge: number): string => linkTo(visit, FILE_PATH, { event: event.id, file: file.id, preview: String(edge) })
  return (
    <>
      {files.length === 0 ? (
        <Empty icon="file" text={at === undefined ? words.none : words.noneOlder}>
          {at === undefined ? <p>{words.noneText}</p> : null}
        </Empty>
      ) : (
        <FileList visit={visit} files={files} pathOf={streams.pathOf} addresses={{ open, preview }} />
      )}
      <Pages visit={visit} stream={stream} at={at} next={next} />
    </>
  )
}

function savedText({ query, language }: ConsoleVisit): string | undefined {
  const count = Number(query.get('count'))
  return query.get('done') === 'saved' && Number.isSafeInteger(count) && count > 0 ? filesWords[language].done(count) : undefined
}

function Filter({ visit, streams, selected }: { visit: ConsoleVisit; streams: StreamList; selected: string }) {
  const words = filesWords[visit.language]
  const { ordered, byId } = streams
  const chosen = byId.get(selected)
  const listed = ordered.slice(0, MAX_LISTED)
  const offered = chosen === undefined || listed.includes(chosen) ? listed : [chosen, ...listed]
  return (
    <div class="bar filebar">
      <SearchForm visit={visit} path={FILES_PATH} more={{ class: 'bar grow filter', 'data-auto': 'yes' }}>
        <span class="grow">
          <label for="stream">{words.filter}</label>
          <select id="stream" name="stream">
            <option value="">{words.all}</option>
            {offered.map(({ id, path }) => (
              <option value={id} selected={id === selected}>
                {path}
              </option>
            ))}
          </select>
        </span>
        <button class="second small">{words.show}</button>
      </SearchForm>
      <a class="button" href={linkTo(visit, UPLOAD_PATH, selected === '' ? {} : { stream: selected })}>
        {words.add}
      </a>
    </div>
  )
}

function Pages({ visit, stream, at, next }: { visit: ConsoleVisit; stream: string | undefined; at: TimePosition | undefined; next: TimePosition | undefined }) {
  if (at === undefined && next === undefined) return <></>
  const words = filesWords[visit.language]
  const filter: Record<string, string> = stream === undefined ? {} : { stream }
  return (
    <nav class="split small pager" aria-label={consoleWords[visit.language].pages}>
      {at === undefined ? <span></span> : <a href={linkTo(visit, FILES_PATH, filter)}>{words.newest}</a>}
      {next === undefined ? <span></span> : <a href={linkTo(visit, FILES_PATH, { ...filter, ...timePositionParameters(next) })}>{words.older}</a>}
    </nav>
  )
}
