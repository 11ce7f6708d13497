/** @jsxImportSource hono/jsx */
/** Form of a shared link that adds a note to one of its streams. */
import { mayCreate } from '../../../store/model/permission.js'
import { create } from '../../api/events/create.js'
import type { StreamList } from '../console/streams.js'
import { Form } from '../layout.js'
import type { FormVisit } from '../page.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { callAsOwner } from '../session.js'
import { SHARED_PATH } from './sharedFrame.js'
import type { SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

const MAX_TEXT = 10_000
/** Maximum number of streams that the form offers. */
const MAX_CHOICES = 200

/** Adds the note of a form with the access of the link. Returns the problem of a note that cannot be added. */
export async function addNote(visit: SharedVisit & FormVisit): Promise<Problem | undefined> {
  const { form, session, language } = visit
  const words = sharedLinkWords[language]
  const content = (form.get('text') ?? '').replace(/\r\n/g, '\n').trim()
  const stream = form.get('stream') ?? ''
  if (content === '') return problemWith(words.emptyText, 'text')
  if (content.length > MAX_TEXT) return problemWith(words.longText, 'text')
  if (!mayAdd(visit, stream)) return problemWith(words.unknownStream, 'stream')
  try {
    await callAsOwner(visit, session, create, { streamIds: [stream], type: 'note/txt', content })
    return undefined
  } catch (error) {
    return problemOf(visit, error)
  }
}

/** Checks whether the link may add events to a stream. Personal tokens are for apps. */
const mayAdd = ({ session }: SharedVisit, stream: string): boolean =>
  session.caller.access.type !== 'personal' && session.account.tree.get(stream) !== undefined && mayCreate(session.caller.scope, stream, session.account.tree)

interface AddFormProps {
  visit: SharedVisit
  streams: StreamList
  problem: Problem | undefined
  /** Text as typed. */
  form: URLSearchParams | undefined
  isOpen: boolean
}

/** Renders the form, for links that may add data. */
export function AddForm({ visit, streams, problem, form, isOpen }: AddFormProps) {
  const words = sharedLinkWords[visit.language]
  const choices = streams.ordered.filter(({ id, isTrashed }) => !isTrashed && mayAdd(visit, id)).slice(0, MAX_CHOICES)
  if (choices.length === 0) return <></>
  const typed = form?.get('text') ?? ''
  const chosen = form?.get('stream') ?? visit.query.get('stream')
  const invalid = (name: string): Record<string, string> => (problem?.field === name ? { 'aria-invalid': 'true', 'aria-describedby': 'problem' } : {})
  return (
    <details class="card add" open={isOpen || problem !== undefined}>
      <summary>{words.add}</summary>
      <Form visit={visit} path={SHARED_PATH} problem={problem}>
        <input type="hidden" name="view" value={visit.viewId} />
        <label for="stream">{words.stream}</label>
        <select id="stream" name="stream" {...invalid('stream')}>
          {choices.map(({ id, path }) => (
            <option value={id} selected={id === chosen}>
              {path}
            </option>
          ))}
        </select>
        <label for="text">{words.noteText}</label>
        <textarea id="text" name="text" rows={4} maxlength={MAX_TEXT} required dir="auto" {...invalid('text')}>
          {typed}
        </textarea>
        <p class="buttons">
          <button>{words.save}</button>
        </p>
      </Form>
      <p class="small soft">{words.addText}</p>
    </details>
  )
}
