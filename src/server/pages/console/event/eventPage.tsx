/** @jsxImportSource hono/jsx */
/** Page of an event: its value, its fields, its files, its history, and what can be done with it. */
import type { Attachment, Event } from '../../../../store/model/event.js'
import { isPeopleEvent } from '../../../../store/model/peopleStreams.js'
import { Form, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, OwnVisit, Page, PageContent } from '../../page.js'
import { problemOf, type Problem } from '../../problem.js'
import { sizeText } from '../../sizes.js'
import { Done, Time } from '../components.js'
import { consolePage, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { FILE_PATH, isPicture } from '../files/filePage.js'
import { IconImage } from '../icons.js'
import { loadStreams, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { filesStyle } from '../files/filesAssets.js'
import { runAction } from './actions.js'
import { eventStyle } from './eventAssets.js'
import { EVENT_FILES_PATH } from './filesPage.js'
import { EVENT_PATH, loadEvent, loadWriterNames, missingEvent, type LoadedEvent } from './eventData.js'
import { History } from './history.js'
import { durationText } from './duration.js'
import { kindName } from './kinds.js'
import { loadNeighbours } from './neighbours.js'
import { ValueView } from './valueView.js'
import { eventPageWords } from './words.js'

/** Edge of a picture on the page, in pixels. */
const EDGE = 1024
/** Maximum length of the JSON that is shown. */
const MAX_JSON = 200_000

export const eventPage: Page = consolePage({
  path: EVENT_PATH,
  section: 'data',
  show: (visit) => (visit.query.get('do') === 'delete' ? confirmation(visit) : shownEvent(visit, visit.query.get('id') ?? '')),
  submit: (submission) => act(submission),
})

async function act(submission: ConsoleFormVisit): Promise<Answer> {
  try {
    return await runAction(submission)
  } catch (error) {
    return shownEvent(submission, submission.form.get('id') ?? '', problemOf(submission, error))
  }
}

async function shownEvent(visit: ConsoleVisit, id: string, problem?: Problem): Promise<PageContent> {
  const loaded = await loadEvent(visit, id, true)
  if (loaded === undefined) return missingEvent(visit)
  const streams = await loadStreams(visit, 'all')
  const nameOf = await loadWriterNames(visit)
  const { event } = loaded
  const neighbours = await loadNeighbours(visit, event)
  const words = eventPageWords[visit.language]
  const isEditable = isPeopleEvent(event.streamIds)
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      {problem === undefined ? <Done text={doneText(visit)} /> : null}
      <div id="event" data-live="yes">
        {event.trashed === true ? <p class="note">{words.inTrash}</p> : null}
        <div class="card">
          <ValueView visit={visit} event={event} />
          <Files visit={visit} event={event} isEditable={isEditable && event.trashed !== true} />
          <Facts visit={visit} event={event} streams={streams} nameOf={nameOf} />
        </div>
        {isEditable ? <Actions visit={visit} event={event} /> : null}
        <NeighbourLinks visit={visit} neighbours={neighbours} />
        <History visit={visit} loaded={loaded} streams={streams} nameOf={nameOf} isEditable={isEditable} />
      </div>
      <details class="apart">
        <summary>{words.json}</summary>
        <pre dir="ltr">{jsonText(loaded)}</pre>
      </details>
    </>
  )
  return { title: kindName(event.type, visit), body, assets: [filesStyle, eventStyle], status: problem?.status ?? 200 }
}

function doneText({ query, language }: OwnVisit): string | undefined {
  const { done } = eventPageWords[language]
  const name = query.get('done') ?? ''
  return Object.hasOwn(done, name) ? done[name as keyof typeof done] : undefined
}

/** Returns the event as JSON, without the read tokens of its files. */
function jsonText({ event }: LoadedEvent): string {
  const text = JSON.stringify(event, (key, value: unknown) => (key === 'readToken' ? undefined : value), 2)
  return text.length > MAX_JSON ? `${text.slice(0, MAX_JSON)}…` : text
}

interface FactsProps {
  visit: OwnVisit
  event: Event
  streams: StreamList
  nameOf: (author: string) => string
}

function Facts({ visit, event, streams, nameOf }: FactsProps) {
  const words = eventPageWords[visit.language]
  const { description = '', tags, clientData = {}, created, createdBy, modified, modifiedBy, streamIds, type } = event
  return (
    <dl class="facts stacked">
      <Times visit={visit} event={event} />
      <dt>{words.streams}</dt>
      <dd>
        <ul class="plain">
          {streamIds.map((id) => (
            <li dir="auto">{streams.byId.has(id) ? <a href={linkTo(visit, '/data', { stream: id })}>{streams.pathOf(id)}</a> : id}</li>
          ))}
        </ul>
      </dd>
      {description === '' ? null : <dt>{words.description}</dt>}
      {description === '' ? null : (
        <dd class="text" dir="auto">
          {description}
        </dd>
      )}
      {tags.length === 0 ? null : <dt>{words.tags}</dt>}
      {tags.length === 0 ? null : (
        <dd>
          {tags.map((tag) => (
            <>
              <span class="tag" dir="auto">
                {tag}
              </span>{' '}
            </>
          ))}
        </dd>
      )}
      {Object.keys(clientData).length === 0 ? null : <dt>{words.clientData}</dt>}
      {Object.keys(clientData).length === 0 ? null : (
        <dd>
          <pre dir="ltr">{JSON.stringify(clientData, null, 2).slice(0, MAX_JSON)}</pre>
        </dd>
      )}
      <dt>{words.type}</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>{words.created}</dt>
      <dd dir="auto">
        <Time visit={visit} at={created} isExact /> {words.by(nameOf(createdBy))}
      </dd>
      {modified === created ? null : <dt>{words.modified}</dt>}
      {modified === created ? null : (
        <dd dir="auto">
          <Time visit={visit} at={modified} isExact /> {words.by(nameOf(modifiedBy))}
        </dd>
      )}
    </dl>
  )
}

function Times({ visit, event: { time, duration } }: { visit: OwnVisit; event: Event }) {
  const words = eventPageWords[visit.language]
  if (duration === undefined) {
    return (
      <>
        <dt>{words.time}</dt>
        <dd>
          <Time visit={visit} at={time} isExact />
        </dd>
      </>
    )
  }
  return (
    <>
      <dt>{words.from}</dt>
      <dd>
        <Time visit={visit} at={time} isExact />
      </dd>
      <dt>{words.until}</dt>
      <dd>{duration === null ? <span class="tag">{words.running}</span> : <Time visit={visit} at={time + duration} isExact />}</dd>
      <dt>{words.lasted}</dt>
      <dd>{durationText(Math.max(duration ?? visit.node.clock.now() - time, 0), visit.language)}</dd>
    </>
  )
}

function Files({ visit, event, isEditable }: { visit: OwnVisit; event: Event; isEditable: boolean }) {
  const files = event.attachments ?? []
  if (files.length === 0) return <></>
  return (
    <ul class="filelist">
      {files.map((file) => (
        <li>
          {isPicture(file) ? (
            <a href={fileLink(visit, event, file, { preview: '4096' })}>
              <img class="shown" src={fileLink(visit, event, file, { preview: String(EDGE) })} alt={event.description ?? file.fileName} />
            </a>
          ) : (
            <IconImage name="file" />
          )}
          <span class="grow" dir="auto">
            {file.fileName}
          </span>
          <span class="soft small number">{sizeText(file.size, visit.language)}</span>
          <a href={fileLink(visit, event, file)} download={file.fileName}>
            {eventPageWords[visit.language].download}
            <span class="hidden"> {file.fileName}</span>
          </a>
          {isEditable ? (
            <a href={linkTo(visit, EVENT_FILES_PATH, { id: event.id, remove: file.id })}>
              {eventPageWords[visit.language].removeFile}
              <span class="hidden"> {file.fileName}</span>
            </a>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

function NeighbourLinks({ visit, neighbours: { older, newer } }: { visit: OwnVisit; neighbours: Awaited<ReturnType<typeof loadNeighbours>> }) {
  if (older === undefined && newer === undefined) return <></>
  const words = eventPageWords[visit.language]
  const link = (id: string | undefined, text: string, rel: string) => (id === undefined ? <span></span> : <a rel={rel} href={linkTo(visit, EVENT_PATH, { id })}>{text}</a>)
  return (
    <nav class="split small pager" aria-label={words.neighbours}>
      {link(newer, words.newer, 'prev')}
      {link(older, words.older, 'next')}
    </nav>
  )
}

const fileLink = (visit: OwnVisit, event: Event, file: Attachment, more: Readonly<Record<string, string>> = {}): string =>
  linkTo(visit, FILE_PATH, { event: event.id, file: file.id, ...more })

function Actions({ visit, event }: { visit: OwnVisit; event: Event }) {
  const words = eventPageWords[visit.language]
  const [stream = ''] = event.streamIds
  if (event.trashed === true) {
    return (
      <div class="buttons">
        <Action visit={visit} id={event.id} action="restore" text={words.restore} />
        <a class="button second" href={linkTo(visit, EVENT_PATH, { id: event.id, do: 'delete' })}>
          {words.remove}
        </a>
      </div>
    )
  }
  return (
    <div class="buttons">
      {event.duration === null ? <Action visit={visit} id={event.id} action="stop" text={words.stop} isFirst /> : null}
      <a class="button second" href={linkTo(visit, '/event/edit', { id: event.id })}>
        {words.edit}
      </a>
      <a class="button second" href={linkTo(visit, EVENT_FILES_PATH, { id: event.id })}>
        {words.addFiles}
      </a>
      <a class="button second" href={linkTo(visit, '/event/new', { copy: event.id })}>
        {words.duplicate}
      </a>
      <a class="button second" href={linkTo(visit, '/access/link/new', { stream })}>
        {words.share}
      </a>
      <Action visit={visit} id={event.id} action="trash" text={words.trash} />
    </div>
  )
}

function Action({ visit, id, action, text, isFirst = false }: { visit: OwnVisit; id: string; action: string; text: string; isFirst?: boolean }) {
  return (
    <Form visit={visit} path={EVENT_PATH}>
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="do" value={action} />
      <button class={isFirst ? '' : 'second'}>{text}</button>
    </Form>
  )
}

/** Returns the page that says what deleting an event means. */
async function confirmation(visit: ConsoleVisit): Promise<Answer> {
  const loaded = await loadEvent(visit, visit.query.get('id') ?? '')
  if (loaded === undefined) return missingEvent(visit)
  const { event } = loaded
  if (event.trashed !== true) return shownEvent(visit, event.id)
  const words = eventPageWords[visit.language]
  const count = (event.attachments ?? []).length
  const body = (
    <div class="card">
      <ValueView visit={visit} event={event} />
      <p>{words.removeText}</p>
      {count === 0 ? null : <p>{words.removeFiles(count)}</p>}
      <div class="buttons">
        <Form visit={visit} path={EVENT_PATH}>
          <input type="hidden" name="id" value={event.id} />
          <input type="hidden" name="do" value="delete" />
          <button class="bad">{words.removeNow}</button>
        </Form>
        <a class="button second" href={linkTo(visit, EVENT_PATH, { id: event.id })}>
          {consoleWords[visit.language].cancel}
        </a>
      </div>
    </div>
  )
  return { title: words.removeTitle, body, assets: [eventStyle] }
}
