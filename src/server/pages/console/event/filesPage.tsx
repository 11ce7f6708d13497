/** @jsxImportSource hono/jsx */
/** Page that adds files to an event, and the confirmation that removes one. */
import type { Attachment, Event } from '../../../../store/model/event.js'
import { isPeopleEvent } from '../../../../store/model/peopleStreams.js'
import { addAttachment } from '../../../api/events/addAttachment.js'
import { deleteAttachment } from '../../../api/events/deleteAttachment.js'
import { buildCall, callToken } from '../../../dispatch/call.js'
import { withUploads } from '../../../dispatch/uploads.js'
import { Form, Hidden, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner, signedInCall } from '../../session.js'
import { sizeText } from '../../sizes.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { FileInputs, uploadAttributes } from '../files/fileInputs.js'
import { filesStyle, uploadScript } from '../files/filesAssets.js'
import { filesWords } from '../files/words.js'
import { consoleWords } from '../words.js'
import { EVENT_PATH, loadEvent, missingEvent } from './eventData.js'
import { ValueView } from './valueView.js'
import { eventPageWords } from './words.js'

export const EVENT_FILES_PATH = '/event/files'

export const eventFilesPage: Page = consolePage({
  path: EVENT_FILES_PATH,
  section: 'data',
  isUpload: true,
  async show(visit) {
    const event = await changeableEvent(visit, visit.query.get('id') ?? '')
    if (event === undefined) return missingEvent(visit)
    const removed = fileOf(event, visit.query.get('remove'))
    return removed === undefined ? addForm(visit, event) : confirmation(visit, event, removed)
  },
  async submit(submission) {
    const event = await changeableEvent(submission, submission.form.get('id') ?? '')
    if (event === undefined) return missingEvent(submission)
    return submission.form.has('remove') ? removeFile(submission, event) : addFiles(submission, event)
  },
})

async function changeableEvent(visit: ConsoleVisit, id: string): Promise<Event | undefined> {
  const event = (await loadEvent(visit, id))?.event
  return event !== undefined && event.trashed !== true && isPeopleEvent(event.streamIds) ? event : undefined
}

const fileOf = ({ attachments = [] }: Event, id: string | null): Attachment | undefined => attachments.find((file) => file.id === id)

function addForm(visit: ConsoleVisit, event: Event, problem?: Problem): PageContent {
  const body = (
    <div class="card">
      <ValueView visit={visit} event={event} />
      <Form visit={visit} path={EVENT_FILES_PATH} problem={problem} hasFiles more={uploadAttributes(visit)}>
        <Hidden fields={{ id: event.id }} />
        <FileInputs visit={visit} />
        <div class="buttons">
          <button>{filesWords[visit.language].send}</button>
          <Cancel visit={visit} event={event} />
        </div>
      </Form>
    </div>
  )
  return { title: eventPageWords[visit.language].addFiles, body, assets: [filesStyle, uploadScript], status: problem?.status ?? 200 }
}

async function addFiles(submission: ConsoleFormVisit, event: Event): Promise<Answer> {
  const { node, origin, session, files, language } = submission
  if (files.length === 0) return addForm(submission, event, problemWith(filesWords[language].fileMissing))
  try {
    await session.account.settledStructure()
    await withUploads(buildCall(node, origin, session.loaded, session.caller), files, async ({ uploads = [] }) => {
      await callToken({ ...signedInCall(submission, session, addAttachment), uploads }, addAttachment, { id: event.id })
    })
  } catch (error) {
    return addForm(submission, event, problemOf(submission, error))
  }
  return redirectTo(submission, EVENT_PATH, { id: event.id, done: 'filesAdded' })
}

/** Returns the page that says what removing a file means. */
function confirmation(visit: ConsoleVisit, event: Event, file: Attachment, problem?: Problem): PageContent {
  const words = eventPageWords[visit.language]
  const body = (
    <div class="card">
      <ProblemBox visit={visit} problem={problem} />
      <p dir="auto">
        <strong>{file.fileName}</strong> <span class="soft small number">{sizeText(file.size, visit.language)}</span>
      </p>
      <p>{words.removeFileText}</p>
      <Form visit={visit} path={EVENT_FILES_PATH}>
        <Hidden fields={{ id: event.id, remove: file.id }} />
        <div class="buttons">
          <button class="bad">{words.removeFile}</button>
          <Cancel visit={visit} event={event} />
        </div>
      </Form>
    </div>
  )
  return { title: words.removeFileTitle, body, assets: [filesStyle], status: problem?.status ?? 200 }
}

/** Removes the file of the form; one that is gone already is no problem. */
async function removeFile(submission: ConsoleFormVisit, event: Event): Promise<Answer> {
  const file = fileOf(event, submission.form.get('remove'))
  if (file === undefined) return redirectTo(submission, EVENT_PATH, { id: event.id })
  try {
    await callAsOwner(submission, submission.session, deleteAttachment, { id: event.id, fileId: file.id })
  } catch (error) {
    return confirmation(submission, event, file, problemOf(submission, error))
  }
  return redirectTo(submission, EVENT_PATH, { id: event.id, done: 'fileRemoved' })
}

function Cancel({ visit, event }: { visit: ConsoleVisit; event: Event }) {
  return (
    <a class="button second" href={linkTo(visit, EVENT_PATH, { id: event.id })}>
      {consoleWords[visit.language].cancel}
    </a>
  )
}
