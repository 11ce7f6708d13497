/** Page that changes an event. */
import { isPeopleEvent } from '../../../../store/model/peopleStreams.js'
import type { Event } from '../../../../store/model/event.js'
import { update } from '../../../api/events/update.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { isSearching } from '../streamPicker.js'
import { contentFormOf, type ContentForm } from './contentForm.js'
import { fieldsOfEvent, problemsOfFailure, readEntry, typeOfForm } from './entry.js'
import { entryForm } from './entryForm.js'
import { EVENT_PATH, loadEvent, missingEvent } from './eventData.js'
import { formWords } from './formWords.js'

const EDIT_PATH = '/event/edit'

export const editEventPage: Page = consolePage({
  path: EDIT_PATH,
  section: 'data',
  maxFormMb: 0.25,
  async show(visit) {
    const event = await editableEvent(visit, visit.query.get('id') ?? '')
    if (event === undefined) return missingEvent(visit)
    const contentForm = contentFormOfEvent(visit, event)
    return formFor(visit, event, contentForm, fieldsOfEvent(visit, event, contentForm))
  },
  submit: (submission) => change(submission),
})

async function editableEvent(visit: ConsoleVisit, id: string): Promise<Event | undefined> {
  const event = (await loadEvent(visit, id))?.event
  return event !== undefined && isPeopleEvent(event.streamIds) ? event : undefined
}

/** Returns the form of the content of an event; its files stay, so an event of files has none. */
function contentFormOfEvent({ node }: ConsoleVisit, { type, content }: Event): ContentForm {
  const form = contentFormOf(node, type, content)
  return form.kind === 'file' ? { kind: 'none' } : form
}

function formFor(visit: ConsoleVisit, event: Event, contentForm: ContentForm, fields: URLSearchParams, problems?: ReadonlyMap<string, string>, problem?: Problem): Promise<PageContent> {
  return entryForm(visit, {
    path: EDIT_PATH,
    hidden: { id: event.id, modified: String(event.modified) },
    title: formWords[visit.language].editTitle,
    type: fields.get('type') ?? event.type,
    contentForm,
    fields,
    ...(problems === undefined ? {} : { problems }),
    problem,
    cancel: linkTo(visit, EVENT_PATH, { id: event.id }),
    isNew: false,
  })
}

async function change(submission: ConsoleFormVisit): Promise<Answer> {
  const { form, session, language, node } = submission
  const words = formWords[language]
  const event = await editableEvent(submission, form.get('id') ?? '')
  if (event === undefined) return missingEvent(submission)
  const contentForm = contentFormOfEvent(submission, event)
  if (isSearching(form)) return formFor(submission, event, contentForm, form)
  const { values, problems } = readEntry(submission, form, contentForm, event)
  const type = typeOfForm(form)
  // Another unit of the same class is the only type that the form offers.
  if (type !== event.type && !(node.eventTypes.knows(type) && type.split('/')[0] === event.type.split('/')[0])) problems.set('content', words.problems.type)
  if (form.get('modified') !== String(event.modified)) return { ...(await formFor(submission, event, contentForm, form, problems, problemWith(words.meanwhile))), status: 409 }
  if (problems.size > 0) return formFor(submission, event, contentForm, form, problems, problemWith(words.wrong))
  try {
    await callAsOwner(submission, session, update, { id: event.id, update: changesOf(event, values, contentForm) })
    return redirectTo(submission, EVENT_PATH, { id: event.id, done: 'changed' })
  } catch (error) {
    const text = problemsOfFailure(submission, error, contentForm, problems)
    return formFor(submission, event, contentForm, form, problems, problemWith(text))
  }
}

/** Returns the update: content of types that the form cannot show stays. */
function changesOf(event: Event, { type, content, description, ...values }: ReturnType<typeof readEntry>['values'], contentForm: ContentForm): object {
  const keepsContent = contentForm.kind === 'closed' || contentForm.kind === 'none'
  return { ...(event.type.startsWith('series:') ? {} : { type }), ...(keepsContent ? {} : { content }), description: description === '' ? null : description, ...values }
}
