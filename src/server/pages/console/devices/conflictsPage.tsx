/** @jsxImportSource hono/jsx */
/** Page of conflicting changes: both versions of each field, and what other devices refused. */
import type { Event } from '../../../../store/model/event.js'
import { isPeopleEvent } from '../../../../store/model/peopleStreams.js'
import { typeName } from '../../events/eventValue.js'
import { Form, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { timeText } from '../../times.js'
import { Done, Empty, pageNumber, Pager } from '../components.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { EVENT_PATH, loadEvent, loadWriterNames } from '../event/eventData.js'
import { eventPageWords } from '../event/words.js'
import { loadStreams, type StreamList } from '../streams.js'
import { deviceStyle } from './deviceAsset.js'
import { isTakeable, markOf, shownFields, takeVersion } from './conflictChange.js'
import { fieldText, fieldValueText } from './conflictText.js'
import { CONFLICTS_PATH, DEVICES_PATH, loadConflicts, MAX_CONFLICTS, type Conflict, type ConflictList } from './deviceData.js'
import { doneText } from './listPage.js'
import { deviceWords } from './words.js'
import { conflictWords } from './conflictWords.js'

/** Conflicts on a page. */
const PER_PAGE = 10
/** Maximum length of an id, and of the names of streams, that the page shows. */
const MAX_ID = 80
const MAX_PLACE = 120

export const conflictsPage: Page = consolePage({
  path: CONFLICTS_PATH,
  section: 'devices',
  show: (visit) => list(visit),
  async submit(submission) {
    try {
      return await take(submission)
    } catch (error) {
      return list(submission, problemOf(submission, error))
    }
  },
})

/** Puts the version of the form into effect, if the values are still those that the page showed. */
async function take(submission: ConsoleFormVisit): Promise<Answer> {
  const { form, language } = submission
  const { conflicts } = await loadConflicts(submission)
  const conflict = conflicts.find(({ kind, id }) => kind === form.get('kind') && id === form.get('id'))
  const shown = conflict === undefined ? undefined : shownFields(conflict).find(({ field }) => field.field === form.get('field'))
  const at = Number(form.get('version') ?? NaN)
  if (conflict === undefined || shown === undefined || markOf(shown.field) !== form.get('mark') || !isTakeable(conflict, shown.field) || !(at in shown.field.others)) {
    return list(submission, { ...problemWith(conflictWords[language].outdated), status: 409 })
  }
  await takeVersion(submission, conflict, shown, at)
  return redirectTo(submission, CONFLICTS_PATH, { done: 'taken' })
}

async function list(visit: ConsoleVisit, problem?: Problem): Promise<PageContent> {
  const words = conflictWords[visit.language]
  const found = await loadConflicts(visit)
  const { conflicts } = found
  const pages = Math.ceil(conflicts.length / PER_PAGE)
  const page = pageNumber(visit.query, pages)
  const shown = conflicts.slice((page - 1) * PER_PAGE, page * PER_PAGE)
  const streams = await loadStreams(visit, 'all')
  const nameOf = await loadKnownNames(visit)
  const items: Item[] = []
  for (const conflict of shown) items.push({ conflict, event: conflict.kind === 'event' ? (await loadEvent(visit, conflict.id))?.event : undefined })
  const body = (
    <>
      <p>
        <a href={linkTo(visit, DEVICES_PATH)}>{deviceWords[visit.language].toDevices}</a>
      </p>
      <ProblemBox visit={visit} problem={problem} />
      {problem === undefined ? <Done text={doneText(visit)} /> : null}
      <div id="conflicts" data-live="yes">
        {conflicts.length === 0 ? <Empty icon="check" text={words.conflictsNone} /> : <p class="soft">{`${words.conflictsText} ${words.keepText}`}</p>}
        {items.map((item) => (
          <ConflictCard visit={visit} item={item} streams={streams} nameOf={nameOf} />
        ))}
        {conflicts.length >= MAX_CONFLICTS ? <p class="small soft">{words.shortened(String(MAX_CONFLICTS))}</p> : null}
        <Pager visit={visit} path={CONFLICTS_PATH} page={page} pages={pages} />
        <Others visit={visit} found={found} />
      </div>
    </>
  )
  return { title: words.conflictsTitle, body, assets: [deviceStyle], status: problem?.status ?? 200 }
}

/** Returns what names an access; undefined for sessions on other devices, and for accesses that ended. */
async function loadKnownNames(visit: ConsoleVisit): Promise<(author: string) => string | undefined> {
  const nameOf = await loadWriterNames(visit)
  const { unknownAccess } = eventPageWords[visit.language]
  return (author) => {
    const name = nameOf(author)
    return name.startsWith(unknownAccess) ? undefined : name
  }
}

interface Item {
  conflict: Conflict
  event?: Event | undefined
}

interface CardProps {
  visit: ConsoleVisit
  item: Item
  streams: StreamList
  nameOf: (author: string) => string | undefined
}

function ConflictCard({ visit, item, streams, nameOf }: CardProps) {
  const { conflict } = item
  const words = conflictWords[visit.language]
  const { title, link } = titleOf(visit, item, streams)
  return (
    <section class="card apart">
      <h2 class="name" dir="auto">
        {link === undefined ? title : <a href={link}>{title}</a>}
      </h2>
      {shownFields(conflict).map(({ field, types }) => {
        const versions = [field.shown, ...field.others]
        return (
          <>
            <h3 dir="auto">{fieldText(field.field, visit, streams)}</h3>
            <div class="twins">
              {versions.map((value, at) => {
                const edit = field.edits?.[at]
                return (
                  <div class={at === 0 ? 'twin effective' : 'twin'}>
                    <p>
                      <span class="tag">{at === 0 ? words.inEffect : words.other}</span>
                    </p>
                    <p class="value" dir="auto">
                      {fieldValueText({ visit, streams, event: item.event }, field.field, value, types?.[at])}
                    </p>
                    {edit === undefined ? null : (
                      <p class="small soft" dir="auto">
                        {words.changedAt(timeText(edit.at, visit), edit.by === undefined ? undefined : nameOf(edit.by))}
                      </p>
                    )}
                    {at === 0 || !isTakeable(conflict, field) ? null : (
                      <Form visit={visit} path={CONFLICTS_PATH}>
                        <input type="hidden" name="kind" value={conflict.kind} />
                        <input type="hidden" name="id" value={conflict.id} />
                        <input type="hidden" name="field" value={field.field} />
                        <input type="hidden" name="version" value={String(at - 1)} />
                        <input type="hidden" name="mark" value={markOf(field)} />
                        <button class="second small">{words.take}</button>
                      </Form>
                    )}
                  </div>
                )
              })}
            </div>
            {isTakeable(conflict, field) ? null : <p class="small soft">{words.takeNot}</p>}
          </>
        )
      })}
    </section>
  )
}

/** Returns the heading of a conflict, and the address of its item. */
function titleOf(visit: ConsoleVisit, { conflict, event }: Item, streams: StreamList): { title: string; link?: string } {
  const { kinds } = conflictWords[visit.language]
  const { kind, id } = conflict
  if (kind === 'event' && event !== undefined) {
    const where = event.streamIds.map(streams.pathOf).join(', ')
    const title = `${typeName(event.type, visit)} · ${where.length > MAX_PLACE ? `${where.slice(0, MAX_PLACE)}…` : where} · ${timeText(event.time, visit)}`
    return isPeopleEvent(event.streamIds) ? { title, link: linkTo(visit, EVENT_PATH, { id }) } : { title }
  }
  if (kind === 'stream') return { title: `${kinds.stream} ${streams.pathOf(id)}`, link: linkTo(visit, '/data/stream', { id }) }
  if (kind === 'access') return { title: kinds.access, link: linkTo(visit, '/access/one', { id }) }
  return { title: `${kind === 'profile' ? kinds.profile : kinds.other} ${id.slice(0, MAX_ID)}` }
}

/** Renders streams that were renamed by a merge, and items that devices refused or left out. */
function Others({ visit, found: { renamed, refused, putAside } }: { visit: ConsoleVisit; found: ConflictList }) {
  const words = conflictWords[visit.language]
  return (
    <>
      {renamed.length === 0 ? null : (
        <section aria-labelledby="renamed">
          <h2 id="renamed">{words.renamedTitle}</h2>
          <ul class="rows">
            {renamed.map(({ id, shown, says }) => (
              <li dir="auto">
                <a href={linkTo(visit, '/data/stream', { id })}>{shown.name}</a> {words.renamedText(shown.name, says.name ?? shown.name)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Refusals id="refused" title={words.refusedTitle} items={refused} nameOf={words.refusedFrom} />
      <Refusals id="aside" title={words.asideTitle} items={putAside} nameOf={words.asideFor} />
    </>
  )
}

interface RefusalsProps {
  id: string
  title: string
  items: ConflictList['refused']
  nameOf: (name: string) => string
}

function Refusals({ id, title, items, nameOf }: RefusalsProps) {
  if (items.length === 0) return <></>
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="rows">
        {items.map((item) => (
          <li dir="auto">
            <code>{`${item.kind} ${item.id.slice(0, MAX_ID)}`}</code> {nameOf(item.peer)}
            <br />
            <span class="soft" lang="en">
              {item.message === '' ? item.reason : item.message}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
