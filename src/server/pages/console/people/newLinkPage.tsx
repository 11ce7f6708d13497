/** @jsxImportSource hono/jsx */
/** Form that makes a link for somebody, or a key for an app. Its result is shown on the page of the link, which a reload does not repeat. */
import { create } from '../../../api/accesses/create.js'
import { MAX_NOTE, NOTE } from '../../access/grantedAccesses.js'
import { Field, Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { chosenStreams, isSearching, StreamPicker } from '../streamPicker.js'
import { loadStreams, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { endIn, EndFields, isProblem } from './lifetime.js'
import { levelIn, LevelSelect } from './levels.js'
import { MAX_LINK_NAME, NameField, noteIn, NoteField } from './linkFields.js'
import { linkWords } from './linkWords.js'
import { APPS_PATH, LINK_PATH, LINKS_PATH, NEW_LINK_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'
import { peopleWords } from './words.js'

/** Value of the level that asks for one level per stream. */
const EACH = 'each'
const EVERYTHING = '*'

export const newLinkPage: Page = consolePage({
  path: NEW_LINK_PATH,
  section: 'people',
  async show(visit) {
    const form = new URLSearchParams()
    const stream = visit.query.get('stream')
    const streams = await loadStreams(visit)
    if (stream !== null && streams.byId.has(stream)) form.set('stream', stream)
    if (visit.query.get('kind') === 'app') form.set('kind', 'app')
    return formOf(visit, streams, form)
  },
  async submit(submission) {
    const { form } = submission
    const streams = await loadStreams(submission)
    if (isSearching(form)) return formOf(submission, streams, form)
    // The first submission that asks for a level per stream shows the fields of the levels.
    const isNext = form.get('level') === EACH && !isEverything(form) && chosenStreams(form, 'stream').some((id) => !form.has(`level:${id}`))
    return isNext ? formOf(submission, streams, form, chosenStreams(form, 'stream').length === 0 ? nothingChosen(submission) : undefined) : make(submission, streams)
  },
})

const isApp = (form: URLSearchParams): boolean => form.get('kind') === 'app'
const isEverything = (form: URLSearchParams): boolean => form.has('everything')
const nothingChosen = ({ language }: ConsoleVisit): Problem => problemWith(linkWords[language].nothingChosen, 'stream')

async function make(submission: ConsoleFormVisit, streams: StreamList): Promise<Answer> {
  const { form, language } = submission
  const words = peopleWords[language]
  const input = inputOf(submission, streams)
  if ('problem' in input) return formOf(submission, streams, form, input.problem)
  try {
    const { access } = await callAsOwner(submission, submission.session, create, input.params)
    return redirectTo(submission, LINK_PATH, { id: String((access as { id: unknown }).id), done: 'made' })
  } catch (error) {
    const problem = problemOf(submission, error, { 'item-already-exists': () => problemWith(words.nameTaken, 'name') })
    return formOf(submission, streams, form, problem)
  }
}

/** Returns the parameters of `accesses.create` that a form requests, or its first problem. */
function inputOf(visit: ConsoleFormVisit, streams: StreamList): { params: Record<string, unknown> } | { problem: Problem } {
  const { form, language } = visit
  const words = peopleWords[language]
  const name = (form.get('name') ?? '').trim()
  if (name === '') return { problem: problemWith(words.nameMissing, 'name') }
  if (name.length > MAX_LINK_NAME) return { problem: problemWith(words.tooLong, 'name') }
  const device = (form.get('device') ?? '').trim()
  if (device.length > MAX_LINK_NAME) return { problem: problemWith(words.tooLong, 'device') }
  const note = noteIn(form)
  if (note.length > MAX_NOTE) return { problem: problemWith(words.tooLong, 'note') }
  const ids = isEverything(form) ? [EVERYTHING] : chosenStreams(form, 'stream')
  if (ids.length === 0) return { problem: nothingChosen(visit) }
  if (ids.some((id) => id !== EVERYTHING && !streams.byId.has(id))) return { problem: problemWith(words.unknownStream, 'stream') }
  const permissions = ids.map((streamId) => ({ streamId, level: levelIn(form.get(`level:${streamId}`)) ?? levelIn(form.get('level')) }))
  if (permissions.some(({ level }) => level === undefined)) return { problem: problemWith(linkWords[language].noLevel, 'level') }
  const end = endIn(visit, form)
  if (isProblem(end)) return { problem: end }
  const params = {
    name,
    type: isApp(form) ? 'app' : 'shared',
    permissions,
    ...('expireAfter' in end ? end : {}),
    ...(isApp(form) && device !== '' ? { deviceName: device } : {}),
    ...(note === '' || isApp(form) ? {} : { clientData: { [NOTE]: note } }),
    ...(form.has('alias') ? { randomAlias: true } : {}),
  }
  return { params }
}

function formOf(visit: ConsoleVisit, streams: StreamList, form: URLSearchParams, problem?: Problem): Answer {
  const { language } = visit
  const words = linkWords[language]
  const isKey = isApp(form)
  const value = (name: string): string => form.get(name) ?? ''
  const body = (
    <Form visit={visit} path={NEW_LINK_PATH} problem={problem}>
      <div class="narrow">
        <p class="soft">{isKey ? words.appIntro : words.intro}</p>
        {isKey ? <input type="hidden" name="kind" value="app" /> : null}
        <NameField visit={visit} value={value('name')} problem={problem} label={isKey ? words.appName : words.forWhom} isFirst={problem === undefined || problem.field === 'name'} />
        {isKey ? (
          <Field name="device" label={words.device} hint={words.deviceHint} value={value('device')} problem={problem} isRequired={false} more={{ maxlength: String(MAX_LINK_NAME), dir: 'auto' }} />
        ) : null}
        <Opened visit={visit} streams={streams} form={form} />
        <EndFields visit={visit} form={form} problem={problem} />
        {isKey ? null : <NoteField visit={visit} value={value('note')} problem={problem} />}
        <label class="tick">
          <input type="checkbox" name="alias" value="1" checked={form.has('alias')} />
          <span>
            {words.alias} <span class="soft small">{words.aliasHint}</span>
          </span>
        </label>
        <div class="buttons">
          <button>{words.make}</button>
          <a class="button second" href={linkTo(visit, isKey ? APPS_PATH : LINKS_PATH)}>
            {consoleWords[language].cancel}
          </a>
        </div>
      </div>
    </Form>
  )
  return { title: isKey ? words.appTitle : words.title, body, status: problem?.status ?? 200, assets: peopleAssets }
}

/** Renders the choice of streams and levels. */
function Opened({ visit, streams, form }: { visit: ConsoleVisit; streams: StreamList; form: URLSearchParams }) {
  const words = linkWords[visit.language]
  const chosen = chosenStreams(form, 'stream')
  const each = form.get('level') === EACH && !isEverything(form) ? chosen.filter((id) => streams.byId.has(id)) : []
  return (
    <fieldset class="apart">
      <legend>{words.opens}</legend>
      <label class="tick">
        <input type="checkbox" name="everything" value="1" checked={isEverything(form)} />
        {words.everything}
      </label>
      {streams.ordered.length === 0 ? (
        <p class="soft">{words.noStreams}</p>
      ) : (
        <StreamPicker visit={visit} streams={streams} name="stream" legend={words.streams} selected={chosen} isMultiple find={form.get('find')?.slice(0, 200) ?? ''} />
      )}
      <label for="level">{words.level}</label>
      <LevelSelect visit={visit} name="level" chosen={form.get('level') ?? 'read'} after={[[EACH, words.each]]} />
      {each.length === 0 ? null : (
        <>
          <p>{words.eachText}</p>
          <div class="levels">
            {each.map((id) => (
              <>
                <label for={`level:${id}`} dir="auto">
                  {streams.pathOf(id)}
                </label>
                <LevelSelect visit={visit} name={`level:${id}`} chosen={form.get(`level:${id}`) ?? 'read'} />
              </>
            ))}
          </div>
        </>
      )}
    </fieldset>
  )
}
