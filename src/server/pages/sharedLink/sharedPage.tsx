/** @jsxImportSource hono/jsx */
/** View of a shared link in a browser: the streams, events, files and charts that its access opens. */
import type { Access } from '../../../store/model/access.js'
import { sanitiseText } from '../../api/accessRequests/consentWords.js'
import { isLoopbackUrl } from '../../base/loopback.js'
import { permissionLines } from '../access/grantedAccesses.js'
import { Done, Tabs } from '../console/components.js'
import { loadStreams, type StreamList } from '../console/streams.js'
import { linkTo } from '../links.js'
import type { Answer, Page } from '../page.js'
import type { Problem } from '../problem.js'
import { timePositionIn } from '../timePosition.js'
import { distance, machineTime, timeText } from '../times.js'
import { AddForm, addNote } from './addNote.js'
import { chartsTab } from './chartsTab.js'
import { EventList } from './eventList.js'
import { filesTab } from './filesTab.js'
import { inSharedFrame, SHARED_PATH, viewProblem } from './sharedFrame.js'
import { StreamNavigation } from './streamNavigation.js'
import { tabNames, tabOf, tabParameters, type TabContent, type TabName } from './tabs.js'
import { readEvents } from './timeline.js'
import { TimePages } from './timePages.js'
import { isEnded, sharedVisit, type SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

const MAX_NAME = 80
const MAX_NOTE = 2000
/** Seconds after which a browser requests charts again that are not ready. */
const LATE_SECONDS = 2

export const sharedPage: Page = {
  path: SHARED_PATH,
  isBeforeSignIn: true,
  async show(visit) {
    const shared = await sharedVisit(visit)
    return typeof shared === 'string' ? viewProblem(visit, shared) : showView(shared)
  },
  async submit(submission) {
    const { form, query } = submission
    const shared = await sharedVisit(submission, form.get('view') ?? '')
    if (typeof shared === 'string') return viewProblem(submission, shared)
    query.set('view', shared.viewId)
    const problem = await addNote(shared)
    if (problem !== undefined) return showView(shared, { problem, form })
    return { redirect: linkTo(shared, SHARED_PATH, { view: shared.viewId, done: 'added' }) }
  },
}

interface Submission {
  problem: Problem
  form: URLSearchParams
}

async function showView(visit: SharedVisit, submission?: Submission): Promise<Answer> {
  const { language, session, query } = visit
  const words = sharedLinkWords[language]
  const { access } = session.caller
  try {
    const streams = await loadStreams(visit)
    const { body: shown, isLate } = isReader(access) ? await content(visit, streams) : { body: access.type === 'personal' ? null : <p>{words.addOnly}</p>, isLate: false }
    const body = (
      <>
        <Done text={query.get('done') === 'added' ? words.added : undefined} />
        <Note visit={visit} access={access} />
        <Facts visit={visit} access={access} />
        {shown}
        <AddForm visit={visit} streams={streams} problem={submission?.problem} form={submission?.form} isOpen={!isReader(access)} />
        <About visit={visit} />
      </>
    )
    const status = submission === undefined ? {} : { status: submission.problem.status }
    const headers = isLate ? { headers: { Refresh: String(LATE_SECONDS) } } : {}
    return inSharedFrame(visit, { title: words.linkTitle(ownerName(visit)), body, ...status, ...headers })
  } catch (error) {
    // The link ended during the request.
    if (isEnded(error)) return viewProblem(visit, 'ended')
    throw error
  }
}

/** Returns the name in the address of the link, which is an alias where the link must not reveal the user name. */
const ownerName = ({ session }: SharedVisit): string => session.caller.access.alias ?? session.user.username

/** Checks whether an access may read any data. Personal tokens are for apps, and show none here. */
const isReader = ({ permissions = [] }: Access): boolean =>
  permissions.some((permission) => 'level' in permission && ['read', 'contribute', 'manage'].includes(permission.level))

function Note({ visit, access }: { visit: SharedVisit; access: Access }) {
  const note = access.clientData?.['note']
  if (typeof note !== 'string' || note.trim() === '') return <></>
  return (
    <div class="shared-note" role="note" aria-label={sharedLinkWords[visit.language].note(ownerName(visit))}>
      <p dir="auto">{note.slice(0, MAX_NOTE)}</p>
    </div>
  )
}

function Facts({ visit, access }: { visit: SharedVisit; access: Access }) {
  const { language, node } = visit
  const words = sharedLinkWords[language]
  const { name, permissions = [], expires } = access
  const lines = access.type === 'personal' ? [{ text: words.everything }] : permissionLines(visit, permissions)
  return (
    <dl class="facts stacked">
      <dt>{words.forWhom}</dt>
      <dd class="name">{sanitiseText(name.slice(0, MAX_NAME))}</dd>
      <dt>{words.until}</dt>
      <dd>
        {expires === undefined ? (
          words.noEnd
        ) : (
          <>
            <time datetime={machineTime(expires)}>{timeText(expires, visit)}</time> ({distance(expires, node.clock.now(), language)})
          </>
        )}
      </dd>
      <dt>{words.opens}</dt>
      <dd>{lines.length === 0 ? words.nothing : lines.map(({ text }) => text).join('; ')}</dd>
    </dl>
  )
}

async function content(visit: SharedVisit, streams: StreamList): Promise<TabContent> {
  const { query, language, viewId } = visit
  const words = sharedLinkWords[language]
  const id = query.get('stream') ?? ''
  const stream = streams.byId.has(id) ? id : undefined
  const current = tabOf(query)
  const hasChoice = streams.ordered.length > 1
  const parameters = { view: viewId, ...(stream === undefined ? {} : { stream }) }
  const tabs = tabNames.map((tab) => ({ text: words.tabs[tab], href: linkTo(visit, SHARED_PATH, { ...parameters, ...tabParameters(tab) }), isCurrent: tab === current }))
  const { body: shown, isLate } = await tabContents[current](visit, streams, stream)
  const body = (
    <>
      <Tabs label={words.views} tabs={tabs} />
      <div class={hasChoice ? 'shared-columns has-streams' : 'shared-columns'}>
        {hasChoice ? <StreamNavigation visit={visit} streams={streams} stream={stream} tab={current} /> : null}
        <section aria-label={stream === undefined ? words.allStreams : streams.pathOf(stream)}>
          <h2 class="hidden">{words.tabs[current]}</h2>
          {shown}
        </section>
      </div>
    </>
  )
  return { body, isLate }
}

const tabContents: Readonly<Record<TabName, (visit: SharedVisit, streams: StreamList, stream: string | undefined) => Promise<TabContent>>> = {
  entries: entriesTab,
  charts: chartsTab,
  files: filesTab,
}

async function entriesTab(visit: SharedVisit, streams: StreamList, stream: string | undefined): Promise<TabContent> {
  const position = timePositionIn(visit.query)
  const { running, events, next } = await readEvents(visit, stream, position)
  const body = (
    <>
      <EventList visit={visit} streams={streams} running={running} events={events} />
      <TimePages visit={visit} tab="entries" stream={stream} position={position} next={next} />
    </>
  )
  return { body, isLate: false }
}

function About({ visit }: { visit: SharedVisit }) {
  const words = sharedLinkWords[visit.language]
  return (
    <details class="about-link">
      <summary>{words.about}</summary>
      {isLoopbackUrl(visit.node.publicBase()) ? (
        <div class="note">
          <p>{words.loopback}</p>
        </div>
      ) : null}
      <p>{words.useText}</p>
      <p class="small soft">{words.secret}</p>
    </details>
  )
}
