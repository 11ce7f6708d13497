/** @jsxImportSource hono/jsx */
/** Form that changes an access: its name, what it opens, its end and the note to the reader. */
import type { Permission } from '../../../../store/model/access.js'
import { CMC } from '../../../../store/model/consentAccess.js'
import { MARKER } from '../../../../store/model/delegation.js'
import type { ClientData } from '../../../../store/model/event.js'
import { Failure } from '../../../../store/model/failure.js'
import { getOne } from '../../../api/accesses/getOne.js'
import { update } from '../../../api/accesses/update.js'
import { MAX_NOTE, NOTE, permissionLines, streamName, type GrantedAccess } from '../../access/grantedAccesses.js'
import { accessWords } from '../../access/words.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner, readAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { chosenStreams, isSearching, StreamPicker } from '../streamPicker.js'
import { loadStreams } from '../streams.js'
import { consoleWords } from '../words.js'
import { endIn, EndFields, isProblem } from './lifetime.js'
import { levelIn, LevelSelect } from './levels.js'
import { MAX_LINK_NAME, NameField, noteIn, NoteField } from './linkFields.js'
import { accessIn, goneList } from './onePage.js'
import { CHANGE_PATH, ONE_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'
import { peopleWords } from './words.js'

/** Maximum number of entries that the form offers to change; others stay as they are. */
const MAX_ROWS = 200
const AWAY = 'away'

export const changePage: Page = consolePage({
  path: CHANGE_PATH,
  section: 'people',
  async show(visit) {
    const access = await changeable(visit, visit.query.get('id') ?? '')
    return access === undefined ? goneList(visit) : formOf(visit, access)
  },
  async submit(submission) {
    const { form } = submission
    const access = await changeable(submission, form.get('id') ?? '')
    if (access === undefined) return goneList(submission)
    return isSearching(form) ? formOf(submission, access, form) : save(submission, access)
  },
})

/** Returns the access with an id, unless it is one that methods do not change. */
async function changeable(visit: ConsoleVisit, id: string): Promise<GrantedAccess | undefined> {
  const access = await accessIn(visit, id)
  return access === undefined || ['session', 'delegate', 'offer'].includes(access.kind) ? undefined : access
}

async function save(submission: ConsoleFormVisit, access: GrantedAccess): Promise<Answer> {
  const { form, language, session } = submission
  const words = peopleWords[language]
  const { changes, problem: wrong } = await changesIn(submission, access)
  if (wrong !== undefined) return formOf(submission, access, form, wrong)
  // The id includes a version: a form about an earlier version is refused.
  const id = form.get('id') ?? ''
  try {
    const { access: changed } = await callAsOwner(submission, session, update, { id, update: changes })
    return redirectTo(submission, ONE_PATH, { id: String((changed as { id: unknown }).id), done: 'saved' })
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-resource') return goneList(submission)
    const problem = problemOf(submission, error, {
      'stale-resource': accessWords[language].stale,
      'item-already-exists': () => problemWith(words.nameTaken, 'name'),
      'invalid-operation': words.wouldExceed,
    })
    const now = (await changeable(submission, id)) ?? access
    const isStale = error instanceof Failure && error.id === 'stale-resource'
    // A form about an earlier version starts again from the present one.
    return formOf(submission, now, isStale ? undefined : form, problem)
  }
}

/** Returns the changes that a form requests, or its first problem. */
async function changesIn(submission: ConsoleFormVisit, access: GrantedAccess): Promise<{ changes?: Record<string, unknown>; problem?: Problem }> {
  const { form, language } = submission
  const words = peopleWords[language]
  const end = endIn(submission, form)
  if (isProblem(end)) return { problem: end }
  const name = (form.get('name') ?? access.title).trim()
  if (mayRename(access) && name === '') return { problem: problemWith(words.nameMissing, 'name') }
  if (name.length > MAX_LINK_NAME) return { problem: problemWith(words.tooLong, 'name') }
  const note = noteIn(form)
  if (note.length > MAX_NOTE) return { problem: problemWith(words.tooLong, 'note') }
  const permissions = permissionsIn(form, access)
  if (permissions.every((each) => 'feature' in each)) return { problem: problemWith(words.nothingLeft) }
  const isSame = JSON.stringify(permissions) === JSON.stringify(access.permissions)
  const changes = {
    ...end,
    ...(isSame ? {} : { permissions }),
    ...(mayRename(access) && name !== access.title ? { name } : {}),
    ...(access.kind === 'link' && note !== (access.note ?? '') ? { clientData: await clientDataWith(submission, access, note) } : {}),
  }
  return { changes }
}

/** Checks whether the name of an access is a text for people; that of an app is its id. */
const mayRename = ({ kind }: GrantedAccess): boolean => kind === 'link'

function permissionsIn(form: URLSearchParams, { permissions }: GrantedAccess): Permission[] {
  const remaining = permissions.flatMap((permission, index) => {
    if (index >= MAX_ROWS || 'feature' in permission) return [permission]
    const chosen = form.get(`level-${index}`)
    if (chosen === AWAY) return []
    const level = levelIn(chosen)
    if (level === undefined) return [permission]
    if ('streamId' in permission) return [{ ...permission, level }]
    return level === 'read' || level === 'contribute' || level === 'manage' ? [{ ...permission, level }] : [permission]
  })
  const level = levelIn(form.get('addLevel')) ?? 'read'
  const known = new Set(remaining.flatMap((permission) => ('streamId' in permission ? [permission.streamId] : [])))
  const added = chosenStreams(form, 'stream').filter((streamId) => !known.has(streamId))
  return [...remaining, ...added.map((streamId) => ({ streamId, level }))]
}

/** Returns the client data of an access with another note, without the members reserved for the node, which stay. */
async function clientDataWith(visit: ConsoleVisit, { id }: GrantedAccess, note: string): Promise<ClientData> {
  const { access } = (await readAsOwner(visit, visit.session, getOne, { id })) as { access: { clientData?: ClientData } }
  const { [CMC]: _cmc, [MARKER]: _marker, dpop: _dpop, [NOTE]: _note, ...rest } = access.clientData ?? {}
  return { ...rest, ...(note === '' ? {} : { [NOTE]: note }) }
}

async function formOf(visit: ConsoleVisit, access: GrantedAccess, form = new URLSearchParams(), problem?: Problem): Promise<Answer> {
  const { language } = visit
  const words = peopleWords[language]
  const isLink = access.kind === 'link'
  const body = (
    <Form visit={visit} path={CHANGE_PATH} problem={problem}>
      <div class="narrow">
        <p class="soft">{words.changeText}</p>
        <input type="hidden" name="id" value={access.id} />
        {isLink ? <NameField visit={visit} value={form.get('name') ?? access.title} problem={problem} /> : null}
        <Entries visit={visit} access={access} form={form} />
        <details open={form.has('stream') || form.has('search')}>
          <summary>{words.addStreams}</summary>
          <StreamPicker
            visit={visit}
            streams={await loadStreams(visit)}
            name="stream"
            legend={words.addStreams}
            selected={chosenStreams(form, 'stream')}
            isMultiple
            find={form.get('find')?.slice(0, 200) ?? ''}
          />
          <label for="addLevel">{words.addLevel}</label>
          <LevelSelect visit={visit} name="addLevel" chosen={form.get('addLevel') ?? 'read'} />
        </details>
        <EndFields visit={visit} form={form} isChange problem={problem} />
        {isLink ? <NoteField visit={visit} value={form.get('note') ?? access.note ?? ''} problem={problem} /> : null}
        <div class="buttons">
          <button>{consoleWords[language].save}</button>
          <a class="button second" href={linkTo(visit, ONE_PATH, { id: access.id })}>
            {consoleWords[language].cancel}
          </a>
        </div>
      </div>
    </Form>
  )
  return { title: words.changeTitle(access.title), body, status: problem?.status ?? 200, assets: peopleAssets }
}

function Entries({ visit, access, form }: { visit: ConsoleVisit; access: GrantedAccess; form: URLSearchParams }) {
  const words = peopleWords[visit.language]
  const shown = access.permissions.slice(0, MAX_ROWS)
  const fixed = shown.filter((permission) => 'feature' in permission)
  const rest = access.permissions.length - shown.length
  return (
    <fieldset class="apart">
      <legend>{words.streams}</legend>
      <div class="levels">
        {shown.map((permission, index) =>
          'feature' in permission ? null : <Entry visit={visit} permission={permission} name={`level-${index}`} typed={form.get(`level-${index}`)} />,
        )}
      </div>
      {fixed.length === 0 ? null : (
        <>
          <p class="soft small">{words.others}</p>
          <ul class="small">
            {permissionLines(visit, fixed).map(({ text }) => (
              <li class="name">{text}</li>
            ))}
          </ul>
        </>
      )}
      {rest > 0 ? <p class="soft small">{words.moreEntries(rest)}</p> : null}
    </fieldset>
  )
}

interface EntryProps {
  visit: ConsoleVisit
  permission: Exclude<Permission, { feature: string }>
  name: string
  typed: string | null
}

function Entry({ visit, permission, name, typed }: EntryProps) {
  const words = peopleWords[visit.language]
  const place = 'tag' in permission ? `#${permission.tag}` : permission.streamId === '*' ? words.everything : streamName(visit, permission.streamId)
  return (
    <>
      <label for={name} dir="auto">
        <span class="hidden">{words.levelOf('')}</span>
        {place.slice(0, 200)}
      </label>
      <LevelSelect visit={visit} name={name} chosen={typed ?? permission.level} before={[[AWAY, words.away]]} hasNone={permission.level === 'none'} />
    </>
  )
}
