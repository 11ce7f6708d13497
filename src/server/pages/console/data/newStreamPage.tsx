/** @jsxImportSource hono/jsx */
/** Creates a stream, at the top or in another one. */
import { create } from '../../../api/streams/create.js'
import { Field, Form } from '../../layout.js'
import type { Answer, Page } from '../../page.js'
import type { Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { loadStreams } from '../streams.js'
import { consoleWords } from '../words.js'
import { dataAssets } from './dataAssets.js'
import { DATA_PATH, streamLink } from './filters.js'
import { missingStream } from './page.js'
import { MAX_NAME, problemOfChange, problemOfName } from './streamOf.js'
import { dataWords } from './words.js'

const PATH = '/data/stream/new'

interface Typed {
  name: string
  parent: string
  problem?: Problem
}

export const newStreamPage: Page = consolePage({
  path: PATH,
  section: 'data',
  show: (visit) => formView(visit, { name: '', parent: visit.query.get('parent') ?? '' }),
  async submit(submission) {
    const { form } = submission
    const typed = { name: (form.get('name') ?? '').trim(), parent: form.get('parent') ?? '' }
    const problem = problemOfName(submission, typed.name)
    return problem === undefined ? createStream(submission, typed) : formView(submission, { ...typed, problem })
  },
})

async function createStream(submission: ConsoleFormVisit, typed: Typed): Promise<Answer> {
  const { name, parent } = typed
  try {
    const { stream } = await callAsOwner(submission, submission.session, create, { name, parentId: parent === '' ? null : parent })
    return redirectTo(submission, DATA_PATH, { stream: (stream as { id: string }).id, done: 'created' })
  } catch (error) {
    return formView(submission, { ...typed, problem: problemOfChange(submission, error, 'name') })
  }
}

async function formView(visit: ConsoleVisit, { name, parent, problem }: Typed): Promise<Answer> {
  const words = dataWords[visit.language]
  const above = parent === '' ? undefined : (await loadStreams(visit, 'all')).byId.get(parent)
  if (parent !== '' && above === undefined) return missingStream(visit)
  const body = (
    <div class="card form-card">
      <dl class="facts">
        <dt>{words.parent}</dt>
        <dd dir="auto">{above?.path ?? words.top}</dd>
      </dl>
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="parent" value={parent} />
        <Field name="name" label={words.name} value={name} problem={problem} isFirst more={{ maxlength: String(MAX_NAME), dir: 'auto', autocomplete: 'off' }} />
        <p class="buttons">
          <button>{words.create}</button>
          <a href={streamLink(visit, above?.id ?? null)}>{consoleWords[visit.language].cancel}</a>
        </p>
      </Form>
    </div>
  )
  return { title: words.newStream, body, assets: dataAssets, ...(problem === undefined ? {} : { status: problem.status }) }
}
