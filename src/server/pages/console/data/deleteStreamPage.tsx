/** @jsxImportSource hono/jsx */
/** Asks before a stream in the trash is deleted permanently, and what happens to its events. */
import { remove } from '../../../api/streams/delete.js'
import { numberText } from '../../events/eventValue.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { loadStreams } from '../streams.js'
import { consoleWords } from '../words.js'
import { dataAssets } from './dataAssets.js'
import { DATA_PATH } from './filters.js'
import { missingStream, shortName } from './page.js'
import { countsOf, idsWithin, streamOf, type Counts } from './streamOf.js'
import { loadSummaries } from './summaries.js'
import { dataWords } from './words.js'

const PATH = '/data/stream/delete'

export const deleteStreamPage: Page = consolePage({
  path: PATH,
  section: 'data',
  show: (visit) => confirmView(visit, visit.query.get('id') ?? ''),
  submit: (submission) => deleteStream(submission, submission.form.get('id') ?? ''),
})

async function deleteStream(submission: ConsoleFormVisit, id: string): Promise<Answer> {
  const words = dataWords[submission.language]
  const stream = await streamOf(submission, id)
  if (stream === undefined) return missingStream(submission)
  if (stream.trashed !== true) return confirmView(submission, id, problemWith(words.notTrashed))
  const choice = submission.form.get('events')
  const params = choice === 'merge' || choice === 'delete' ? { id, mergeEventsWithParent: choice === 'merge' } : { id }
  try {
    await callAsOwner(submission, submission.session, remove, params)
    return redirectTo(submission, DATA_PATH, { ...(stream.parentId === null ? {} : { stream: stream.parentId }), done: 'deleted' })
  } catch (error) {
    const missing = (): Problem => problemWith(words.eventsMissing, 'events')
    return confirmView(submission, id, problemOf(submission, error, { 'invalid-parameters-format': missing }))
  }
}

async function confirmView(visit: ConsoleVisit, id: string, problem?: Problem): Promise<Answer> {
  const words = dataWords[visit.language]
  const stream = await streamOf(visit, id)
  if (stream === undefined) return missingStream(visit)
  if (stream.trashed !== true) return redirectTo(visit, '/data/stream', { id })
  const counts = countsOf(stream, await loadSummaries(visit))
  const below = idsWithin(stream).size - 1
  const parent = stream.parentId === null ? undefined : (await loadStreams(visit, 'all')).byId.get(stream.parentId)
  const hasEvents = counts === undefined || counts.events + counts.trashed > 0 || problem?.field === 'events'
  const body = (
    <div class="card form-card warning">
      <p>{below === 0 ? words.deleteEmpty : words.deleteText(numberText(below, visit.language))}</p>
      <Numbers visit={visit} counts={counts} />
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="id" value={id} />
        {hasEvents ? <Choice visit={visit} parentName={parent?.path} problem={problem} /> : null}
        <p class="buttons">
          <button class="bad">{words.deleteStream}</button>
          <a href={linkTo(visit, '/data/stream', { id })}>{consoleWords[visit.language].cancel}</a>
        </p>
      </Form>
    </div>
  )
  return { title: words.deleteTitle(shortName(stream.name)), body, assets: dataAssets, ...(problem === undefined ? {} : { status: problem.status }) }
}

function Numbers({ visit, counts }: { visit: ConsoleVisit; counts: Counts | undefined }) {
  const words = dataWords[visit.language]
  const number = (value: number): string => numberText(value, visit.language)
  return (
    <div id="counts" data-live="yes">
      {counts === undefined ? <p data-later="yes">{words.deleteUncounted}</p> : <p>{words.deleteEvents(number(counts.events), number(counts.trashed))}</p>}
    </div>
  )
}

function Choice({ visit, parentName, problem }: { visit: ConsoleVisit; parentName: string | undefined; problem: Problem | undefined }) {
  const words = dataWords[visit.language]
  const wrong = problem?.field === 'events' ? { 'aria-describedby': 'problem' } : {}
  return (
    <fieldset class="picker" {...wrong}>
      <legend>{words.eventsChoice}</legend>
      {parentName === undefined ? null : (
        <label class="choice">
          <input type="radio" name="events" value="merge" required />
          <span dir="auto">{words.merge(parentName)}</span>
        </label>
      )}
      <label class="choice">
        <input type="radio" name="events" value="delete" required />
        <span>{words.remove}</span>
      </label>
      <p class="hint">{words.removeText}</p>
    </fieldset>
  )
}
