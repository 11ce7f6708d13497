/** @jsxImportSource hono/jsx */
/** Page that adds an event: first its kind, then its form. `copy` begins with the values of another event. */
import { create } from '../../../api/events/create.js'
import { isSeriesType } from '../../../../store/model/eventTypes/series.js'
import { typeName } from '../../events/eventValue.js'
import { SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { problemWith, type Problem } from '../../problem.js'
import { readAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { IconImage } from '../icons.js'
import { chosenOrCreated, isSearching } from '../streamPicker.js'
import { eventStyle } from './eventAssets.js'
import { contentFormOf } from './contentForm.js'
import { fieldsOfEvent, isTypeName, problemsOfFailure, readEntry, typeOfForm } from './entry.js'
import { entryForm } from './entryForm.js'
import { EVENT_PATH, loadEvent, missingEvent } from './eventData.js'
import { formWords } from './formWords.js'
import { eventPageWords } from './words.js'
import { commonKinds } from './kinds.js'

const NEW_PATH = '/event/new'

export const newEventPage: Page = consolePage({
  path: NEW_PATH,
  section: 'data',
  maxFormMb: 0.25,
  show: (visit) => shown(visit),
  submit: (submission) => add(submission),
})

async function shown(visit: ConsoleVisit): Promise<Answer> {
  const { query, language } = visit
  const copied = query.get('copy')
  if (copied !== null) return copyOf(visit, copied)
  const type = typeOfForm(query)
  const stream = query.get('stream')
  if (type === '') return kinds(visit)
  const words = formWords[language]
  if (!isTypeName(type)) return kinds(visit, problemWith(words.problems.type, 'type'))
  const contentForm = contentFormOf(visit.node, type)
  if (contentForm.kind === 'file') return redirectTo(visit, '/upload', stream === null ? {} : { stream })
  if (contentForm.kind === 'closed') return kinds(visit, problemWith(words.removed, 'type'))
  const fields = new URLSearchParams(stream === null ? {} : { streams: stream })
  return formFor(visit, type, fields)
}

/** Shows the form with the values of an event, at the current time. */
async function copyOf(visit: ConsoleVisit, id: string): Promise<Answer> {
  const loaded = await loadEvent(visit, id)
  if (loaded === undefined) return missingEvent(visit)
  const { event } = loaded
  const contentForm = contentFormOf(visit.node, event.type, event.content)
  if (contentForm.kind === 'file') return redirectTo(visit, '/upload', { stream: event.streamIds[0] ?? '' })
  if (contentForm.kind === 'closed') return kinds(visit, problemWith(formWords[visit.language].removed))
  const fields = fieldsOfEvent(visit, event, contentForm)
  for (const name of ['time', 'until', 'period', 'running']) fields.delete(name)
  return formFor(visit, event.type, fields, { contentForm })
}

interface FormState {
  contentForm?: ReturnType<typeof contentFormOf>
  problems?: ReadonlyMap<string, string>
  problem?: Problem
}

function formFor(visit: ConsoleVisit, type: string, fields: URLSearchParams, state: FormState = {}): Promise<PageContent> {
  const { contentForm = contentFormOf(visit.node, type), problems, problem } = state
  const stream = fields.get('streams')
  return entryForm(visit, {
    path: NEW_PATH,
    hidden: contentForm.kind === 'json' ? { json: 'yes' } : {},
    title: formWords[visit.language].newTitle,
    type,
    contentForm,
    fields,
    ...(problems === undefined ? {} : { problems }),
    problem,
    cancel: linkTo(visit, '/data', stream === null ? {} : { stream }),
    isNew: true,
  })
}

async function add(submission: ConsoleFormVisit): Promise<Answer> {
  const { form, session, language, node } = submission
  const words = formWords[language]
  const type = typeOfForm(form)
  if (!isTypeName(type)) return kinds(submission, problemWith(words.problems.type, 'type'))
  // A copy may have content that only JSON shows.
  const contentForm = form.has('json') ? ({ kind: 'json' } as const) : contentFormOf(node, type)
  if (contentForm.kind === 'file' || contentForm.kind === 'closed') return kinds(submission, problemWith(words.removed, 'type'))
  if (isSearching(form)) return formFor(submission, type, form, { contentForm })
  const { values, problems } = readEntry(submission, form, contentForm)
  if (problems.size > 0) return formFor(submission, type, form, { contentForm, problems, problem: problemWith(words.wrong) })
  try {
    const { duration, description, tags, ...rest } = values
    const optional = { ...(duration === 0 ? {} : { duration }), ...(description === '' ? {} : { description }), ...(tags.length === 0 ? {} : { tags }) }
    const streamIds = await chosenOrCreated(submission, form, 'streams')
    const { event } = (await readAsOwner(submission, session, create, { ...rest, streamIds, ...optional })) as { event: { id: string } }
    return redirectTo(submission, EVENT_PATH, { id: event.id, done: 'created' })
  } catch (error) {
    const text = problemsOfFailure(submission, error, contentForm, problems)
    return formFor(submission, type, form, { contentForm, problems, problem: problemWith(text) })
  }
}

/** Returns the page that asks for the kind of the new event. */
function kinds(visit: ConsoleVisit, problem?: Problem): PageContent {
  const { language, query, node } = visit
  const words = formWords[language]
  const stream = query.get('stream')
  const more: Record<string, string> = stream === null ? {} : { stream }
  const { types } = node.eventTypes.directory
  const names = Object.keys(types).filter((type) => !isSeriesType(type) && contentFormOf(node, type).kind !== 'closed')
  const body = (
    <>
      <h2>{words.chooseKind}</h2>
      <ul class="kinds">
        {commonKinds.filter(({ type }) => Object.hasOwn(types, type)).map(({ type, name }) => (
          <li>
            <a href={linkTo(visit, NEW_PATH, { ...more, type })}>{name[language]}</a>
          </li>
        ))}
      </ul>
      <p class="buttons">
        <a class="button second" href={linkTo(visit, '/upload', more)}>
          <IconImage name="camera" /> {words.files}
        </a>
        <a class="button second" href={linkTo(visit, '/event/several', more)}>
          <IconImage name="list" /> {words.several}
        </a>
      </p>
      <h2>{words.otherType}</h2>
      <SearchForm visit={visit} path={NEW_PATH} parameters={more} more={{ class: 'entry-form' }}>
        <label for="type">{eventPageWords[language].type}</label>
        <input
          id="type"
          name="type"
          list="types"
          required
          maxlength={200}
          autocomplete="off"
          spellcheck={false}
          value={typeOfForm(query)}
          aria-describedby={problem === undefined ? 'type-hint' : 'type-problem type-hint'}
          {...(problem === undefined ? {} : { 'aria-invalid': 'true' })}
        />
        {problem === undefined ? null : (
          <p class="field-problem" id="type-problem" role="alert">
            {problem.text}
          </p>
        )}
        <p class="hint" id="type-hint">
          {words.otherTypeHint}
        </p>
        <datalist id="types">
          {names.map((type) => (
            <option value={type}>{typeName(type, visit)}</option>
          ))}
        </datalist>
        <div class="buttons">
          <button>{words.next}</button>
        </div>
      </SearchForm>
    </>
  )
  return { title: words.newTitle, body, assets: [eventStyle], status: problem?.status ?? 200 }
}
