/** @jsxImportSource hono/jsx */
/** Changes a stream: its name, its place in the tree, and the trash. */
import type { StreamView } from '../../../../store/model/stream.js'
import { remove } from '../../../api/streams/delete.js'
import { update } from '../../../api/streams/update.js'
import { numberText } from '../../events/eventValue.js'
import { Field, Form, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import type { Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { chosenStreams, isSearching, StreamPicker } from '../streamPicker.js'
import { loadStreams, type ListedStream, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { dataAssets } from './dataAssets.js'
import { DATA_PATH, streamLink } from './filters.js'
import { missingStream, shortName } from './page.js'
import { countsOf, idsWithin, MAX_NAME, problemOfChange, problemOfName, streamOf, type Counts } from './streamOf.js'
import { loadSummaries } from './summaries.js'
import { pathIds } from './streamTree.js'
import { dataWords } from './words.js'

const PATH = '/data/stream'
const MAX_FIND = 200
/** Value of the field `parent` for a place at the top. */
const TOP = '*'

/** The forms of the page as they were typed. */
interface Typed {
  name?: string
  parent?: string
  find?: string
  problem?: Problem
}

export const streamPage: Page = consolePage({
  path: PATH,
  section: 'data',
  show: (visit) => streamView(visit, visit.query.get('id') ?? '', {}),
  submit(submission) {
    const id = submission.form.get('id') ?? ''
    switch (submission.form.get('do')) {
      case 'rename':
        return rename(submission, id)
      case 'move':
        return move(submission, id)
      case 'trash':
        return trash(submission, id)
      case 'restore':
        return restore(submission, id)
      default:
        return streamView(submission, id, {})
    }
  },
})

async function rename(submission: ConsoleFormVisit, id: string): Promise<Answer> {
  const name = (submission.form.get('name') ?? '').trim()
  const wrong = problemOfName(submission, name)
  if (wrong !== undefined) return streamView(submission, id, { name, problem: wrong })
  return change(submission, id, { name }, 'renamed', (problem) => streamView(submission, id, { name, problem }), 'name')
}

async function move(submission: ConsoleFormVisit, id: string): Promise<Answer> {
  const { form, language } = submission
  // The tree sends an empty parent for the top.
  const [parent = form.get('from') === 'tree' ? TOP : undefined] = chosenStreams(form, 'parent').filter((chosen) => chosen !== '')
  const find = (form.get('find') ?? '').trim().slice(0, MAX_FIND)
  const typed = { find, ...(parent === undefined ? {} : { parent }) }
  if (isSearching(form)) return streamView(submission, id, typed)
  const words = dataWords[language]
  const refused = (text: string): Promise<Answer> => streamView(submission, id, { ...typed, problem: { text, field: 'parent', status: 400 } })
  if (parent === undefined) return refused(words.parentMissing)
  if (parent !== TOP) {
    const streams = await loadStreams(submission, 'all')
    if (streams.byId.get(parent)?.isTrashed === true) return refused(words.parentTrashed)
    if (pathIds(streams, parent).includes(id)) return refused(words.parentBelow)
  }
  const update = { parentId: parent === TOP ? null : parent }
  return change(submission, id, update, 'moved', (problem) => streamView(submission, id, { ...typed, problem }), 'parent')
}

async function trash(submission: ConsoleFormVisit, id: string): Promise<Answer> {
  const stream = await streamOf(submission, id)
  if (stream === undefined) return missingStream(submission)
  // The method would delete a stream that is in the trash already.
  if (stream.trashed !== true) {
    try {
      await callAsOwner(submission, submission.session, remove, { id })
    } catch (error) {
      return streamView(submission, id, { problem: problemOfChange(submission, error, 'name') })
    }
  }
  return redirectTo(submission, PATH, { id, done: 'trashed' })
}

const restore = (submission: ConsoleFormVisit, id: string): Promise<Answer> =>
  change(submission, id, { trashed: false }, 'restored', (problem) => streamView(submission, id, { problem }), 'name')

async function change(
  submission: ConsoleFormVisit,
  id: string,
  changes: Record<string, unknown>,
  done: string,
  show: (problem: Problem) => Promise<Answer>,
  field: 'name' | 'parent',
): Promise<Answer> {
  if ((await streamOf(submission, id)) === undefined) return missingStream(submission)
  try {
    await callAsOwner(submission, submission.session, update, { id, update: changes })
    return redirectTo(submission, DATA_PATH, { stream: id, done })
  } catch (error) {
    return show(problemOfChange(submission, error, field))
  }
}

async function streamView(visit: ConsoleVisit, id: string, typed: Typed): Promise<Answer> {
  const stream = await streamOf(visit, id)
  const streams = await loadStreams(visit, 'all')
  const listed = streams.byId.get(id)
  if (stream === undefined || listed === undefined) return missingStream(visit)
  const words = dataWords[visit.language]
  const counts = countsOf(stream, await loadSummaries(visit))
  const { problem } = typed
  const done = visit.query.get('done') === 'trashed' ? words.done.trashed : undefined
  const body = (
    <>
      {done === undefined ? null : (
        <div class="done" role="status">
          <p>{done}</p>
        </div>
      )}
      {problem !== undefined && problem.field === undefined ? <ProblemBox visit={visit} problem={problem} /> : null}
      <p class="small crumbs" dir="auto">
        <a href={streamLink(visit, id)}>{listed.path}</a>
      </p>
      {listed.isTrashed ? null : <Rename visit={visit} stream={stream} typed={typed} />}
      {listed.isTrashed ? null : <Move visit={visit} stream={stream} streams={streams} typed={typed} />}
      {stream.trashed === true ? <Trashed visit={visit} id={id} /> : listed.isTrashed ? <Below visit={visit} streams={streams} listed={listed} /> : <Trash visit={visit} id={id} counts={counts} />}
    </>
  )
  return { title: shortName(stream.name), body, assets: dataAssets, ...(problem === undefined ? {} : { status: problem.status }) }
}

const problemAt = ({ problem }: Typed, field: string): Problem | undefined => (problem?.field === field ? problem : undefined)

function Rename({ visit, stream, typed }: { visit: ConsoleVisit; stream: StreamView; typed: Typed }) {
  const words = dataWords[visit.language]
  const problem = problemAt(typed, 'name')
  return (
    <section class="card form-card" aria-labelledby="rename">
      <h2 id="rename">{words.rename}</h2>
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="do" value="rename" />
        <input type="hidden" name="id" value={stream.id} />
        <Field name="name" label={words.name} value={typed.name ?? stream.name} problem={problem} more={{ maxlength: String(MAX_NAME), dir: 'auto', autocomplete: 'off' }} />
        <p class="buttons">
          <button>{words.rename}</button>
          <a href={streamLink(visit, stream.id)}>{consoleWords[visit.language].cancel}</a>
        </p>
      </Form>
    </section>
  )
}

function Move({ visit, stream, streams, typed }: { visit: ConsoleVisit; stream: StreamView; streams: StreamList; typed: Typed }) {
  const words = dataWords[visit.language]
  const problem = problemAt(typed, 'parent')
  return (
    <section class="card form-card" aria-labelledby="move">
      <h2 id="move">{words.move}</h2>
      <p class="soft">{words.moveText}</p>
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="do" value="move" />
        <input type="hidden" name="id" value={stream.id} />
        <StreamPicker
          visit={visit}
          streams={placesFor(stream, streams, words.topOption)}
          name="parent"
          legend={words.parent}
          selected={[typed.parent ?? stream.parentId ?? TOP]}
          find={typed.find ?? ''}
        />
        <p class="buttons">
          <button class="second">{words.moveHere}</button>
        </p>
      </Form>
    </section>
  )
}

/** Returns the places to which a stream can move: the top, and all streams that are not in it or in the trash. */
function placesFor(stream: StreamView, { ordered }: StreamList, top: string): StreamList {
  const within = idsWithin(stream)
  const first: ListedStream = { id: TOP, name: top, path: top, parentId: null, depth: 0, isTrashed: false }
  const places = [first, ...ordered.filter(({ id, isTrashed }) => !isTrashed && !within.has(id))]
  const byId = new Map(places.map((place) => [place.id, place]))
  return { ordered: places, byId, pathOf: (id) => byId.get(id)?.path ?? id }
}

function Trash({ visit, id, counts }: { visit: ConsoleVisit; id: string; counts: Counts | undefined }) {
  const words = dataWords[visit.language]
  return (
    <section class="card form-card" aria-labelledby="trash">
      <h2 id="trash">{words.trash}</h2>
      <p class="soft">{counts === undefined ? words.trashTextUncounted : words.trashText(numberText(counts.events, visit.language))}</p>
      <Form visit={visit} path={PATH}>
        <input type="hidden" name="do" value="trash" />
        <input type="hidden" name="id" value={id} />
        <p class="buttons">
          <button class="bad">{words.trash}</button>
        </p>
      </Form>
    </section>
  )
}

function Trashed({ visit, id }: { visit: ConsoleVisit; id: string }) {
  const words = dataWords[visit.language]
  return (
    <section class="card form-card" aria-labelledby="restore">
      <h2 id="restore">{words.restore}</h2>
      <p class="soft">{words.restoreText}</p>
      <Form visit={visit} path={PATH}>
        <input type="hidden" name="do" value="restore" />
        <input type="hidden" name="id" value={id} />
        <p class="buttons">
          <button>{words.restore}</button>
          <a href={linkTo(visit, '/data/stream/delete', { id })}>{words.deleteStream}</a>
        </p>
      </Form>
    </section>
  )
}

function Below({ visit, streams, listed }: { visit: ConsoleVisit; streams: StreamList; listed: ListedStream }) {
  const trashed = pathIds(streams, listed.id).find((id) => streams.byId.get(id)?.isTrashed === true) ?? listed.id
  return (
    <p>
      {dataWords[visit.language].restoreAbove}{' '}
      <a href={linkTo(visit, PATH, { id: trashed })} dir="auto">
        {streams.pathOf(trashed)}
      </a>
    </p>
  )
}
