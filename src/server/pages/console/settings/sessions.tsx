/** @jsxImportSource hono/jsx */
/** Page of the sessions of the signed-in person: apps that are logged in, and ending them. */
import type { OutputOf } from '../../../call/method.js'
import { endSessions } from '../../../api/auth/endSessions.js'
import { sessions } from '../../../api/auth/sessions.js'
import { PAGES_APP } from '../../../config/apiEndpoint.js'
import { Form } from '../../layout.js'
import type { Answer, Page } from '../../page.js'
import { callAsOwner, readAsOwner } from '../../session.js'
import { dayText } from '../../times.js'
import { pageNumber, Pager, Time } from '../components.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { signOut } from '../signOutPage.js'
import { SESSIONS_PATH } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

type Session = OutputOf<typeof sessions>['sessions'][number]

const PER_PAGE = 50
const MAX_ID = 200

export const sessionsPage: Page = consolePage({
  path: SESSIONS_PATH,
  section: 'settings',
  isOfPerson: true,
  show: (visit) => view(visit),
  async submit(submission) {
    const { form, person } = submission
    const id = (form.get('id') ?? '').slice(0, MAX_ID)
    const isAll = form.get('do') === 'others'
    if (!isAll && id === '') return redirectTo(submission, SESSIONS_PATH)
    if (!isAll && id === person.caller.access.id) return signOut(submission)
    await callAsOwner(submission, person, endSessions, isAll ? {} : { ids: [id] })
    return redirectTo(submission, SESSIONS_PATH, { done: isAll ? 'others' : 'one' })
  },
})

async function view(visit: ConsoleVisit): Promise<Answer> {
  const words = settingsWords[visit.language].sessions
  const { sessions: all } = (await readAsOwner(visit, visit.person, sessions, {})) as { sessions: Session[] }
  const sorted = [...all].sort((a, b) => Number(b.current) - Number(a.current))
  const pages = Math.ceil(sorted.length / PER_PAGE)
  const page = pageNumber(visit.query, pages)
  const body = (
    <>
      <p class="soft">{words.text}</p>
      <ul class="rows">
        {sorted.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((session) => (
          <Row visit={visit} session={session} />
        ))}
      </ul>
      <Pager visit={visit} path={SESSIONS_PATH} page={page} pages={pages} />
      {all.length > 1 ? (
        <Form visit={visit} path={SESSIONS_PATH}>
          <input type="hidden" name="do" value="others" />
          <p class="buttons">
            <button class="bad">{words.endOthers}</button>
          </p>
        </Form>
      ) : null}
      <p class="small soft">{words.password}</p>
    </>
  )
  return subpage(visit, { title: words.title, body, notices: { one: words.ended, others: words.endedOthers } })
}

function Row({ visit, session }: { visit: ConsoleVisit; session: Session }) {
  const words = settingsWords[visit.language].sessions
  const { id, app, since, lastUsed, expires, current } = session
  const title = app === PAGES_APP ? words.pages : app
  return (
    <li class="entry-row">
      <div>
        <p>
          <strong class="name" dir="auto">
            {title}
          </strong>{' '}
          {current ? <span class="tag">{words.current}</span> : null}
        </p>
        <p class="small soft">
          {words.since} <Time visit={visit} at={since} />
          {' · '}
          {lastUsed === null ? words.never : <>{words.lastUsed} <Time visit={visit} at={lastUsed} /></>}
          {' · '}
          {words.expires(dayText(expires, visit))}
        </p>
      </div>
      <Form visit={visit} path={SESSIONS_PATH}>
        <input type="hidden" name="id" value={id} />
        <button class="second small">
          {words.end}
          <span class="hidden"> {title}</span>
        </button>
      </Form>
    </li>
  )
}
