/** @jsxImportSource hono/jsx */
/** Page that stores files in a stream: each becomes an event of its own. */
import { Failure } from '../../../../store/model/failure.js'
import { create } from '../../../api/events/create.js'
import { withUploads } from '../../../dispatch/uploads.js'
import { buildCall, callToken } from '../../../dispatch/call.js'
import type { Upload } from '../../../call/method.js'
import { Form } from '../../layout.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { signedInCall } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { chosenOrCreated, chosenStreams, isSearching, newStreamIn, StreamPicker } from '../streamPicker.js'
import { loadStreams } from '../streams.js'
import { FileInputs, uploadAttributes } from './fileInputs.js'
import { filesStyle, uploadScript } from './filesAssets.js'
import { filesWords } from './words.js'

export const UPLOAD_PATH = '/upload'

const MAX_DESCRIPTION = 4000

export const uploadPage: Page = consolePage({
  path: UPLOAD_PATH,
  section: 'files',
  isUpload: true,
  show: (visit) => formOf(visit, { streams: visit.query.getAll('stream').slice(0, 1), description: '', find: '' }),
  submit: (submission) => store(submission),
})

interface Typed {
  streams: readonly string[]
  description: string
  find: string
  /** Name of a new stream; absent before anything was typed. */
  newStream?: string
}

async function formOf(visit: ConsoleVisit, { streams, description, find, newStream }: Typed, problem?: Problem): Promise<PageContent> {
  const words = filesWords[visit.language]
  const list = await loadStreams(visit)
  const body = (
    <Form visit={visit} path={UPLOAD_PATH} problem={problem} hasFiles more={uploadAttributes(visit)}>
      <StreamPicker visit={visit} streams={list} name="stream" legend={words.stream} selected={streams} find={find} newStream={newStream ?? (list.ordered.length === 0 ? words.pictures : '')} />
      <label for="description">{words.description}</label>
      <textarea id="description" name="description" rows={2} maxlength={MAX_DESCRIPTION} dir="auto">
        {description}
      </textarea>
      <FileInputs visit={visit} />
      <div class="buttons">
        <button>{words.send}</button>
      </div>
    </Form>
  )
  return { title: words.upload, body, assets: [filesStyle, uploadScript], status: problem?.status ?? 200 }
}

async function store(submission: ConsoleFormVisit): Promise<Answer> {
  const { form, files, language } = submission
  const words = filesWords[language]
  const streams = chosenStreams(form, 'stream').slice(0, 1)
  const description = (form.get('description') ?? '').slice(0, MAX_DESCRIPTION).trim()
  const typed: Typed = { streams, description, find: form.get('find') ?? '', newStream: newStreamIn(form) }
  if (isSearching(form)) return formOf(submission, typed)
  if (streams.length === 0 && newStreamIn(form) === '') return formOf(submission, typed, problemWith(words.streamMissing))
  if (files.length === 0) return formOf(submission, typed, problemWith(words.fileMissing))
  const streamId = await targetOf(submission)
  if (streamId instanceof Failure) return formOf(submission, typed, problemOf(submission, streamId))
  const { saved, error } = await saveAll(submission, { streamId, description })
  if (error !== undefined) {
    const problem = problemOf(submission, error)
    return formOf(submission, typed, saved.length === 0 ? problem : { ...problem, text: words.partly(saved.length, files.length, problem.text) })
  }
  const [first = ''] = saved
  if (saved.length === 1) return redirectTo(submission, '/event', { id: first, done: 'created' })
  return redirectTo(submission, '/files', { stream: streamId, done: 'saved', count: String(saved.length) })
}

/** Returns the chosen stream, or the new one; the failure if it cannot be created. */
async function targetOf(submission: ConsoleFormVisit): Promise<string | Failure> {
  try {
    return (await chosenOrCreated(submission, submission.form, 'stream')).at(-1) ?? ''
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Creates an event for each file, up to the first refusal. Returns the ids of the created events. */
async function saveAll(submission: ConsoleFormVisit, place: { streamId: string; description: string }): Promise<{ saved: string[]; error?: unknown }> {
  const { node, origin, session, files } = submission
  const saved: string[] = []
  try {
    await session.account.settledStructure()
    await withUploads(buildCall(node, origin, session.loaded, session.caller), files, async ({ uploads = [] }) => {
      for (const upload of uploads) saved.push(await saveOne(submission, upload, place))
    })
    return { saved }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { saved, error }
  }
}

async function saveOne(submission: ConsoleFormVisit, upload: Upload, { streamId, description }: { streamId: string; description: string }): Promise<string> {
  const call = { ...signedInCall(submission, submission.session, create), uploads: [upload] }
  const text = description === '' ? {} : { description }
  const { event } = await callToken(call, create, { type: eventTypeOf(submission, upload.type), streamIds: [streamId], ...text })
  return (JSON.parse(JSON.stringify(event)) as { id: string }).id
}

/** Returns the type of the event of a file: `picture/attached`, `audio/attached`, `video/attached`, else `file/attached`. */
function eventTypeOf({ node }: ConsoleVisit, mediaType: string): string {
  const kind = mediaType.split('/')[0] ?? ''
  const type = `${kind === 'image' ? 'picture' : kind}/attached`
  return ['image', 'audio', 'video'].includes(kind) && node.eventTypes.knows(type) ? type : 'file/attached'
}
