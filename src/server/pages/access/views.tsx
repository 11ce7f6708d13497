/** @jsxImportSource hono/jsx */
/** Views of the owner's page: the lists, and the confirmation before an access is revoked. */
import type { Child } from 'hono/jsx'
import { Form, ProblemBox } from '../layout.js'
import { linkTo, pathOfTarget } from '../links.js'
import type { OwnVisit, PageContent } from '../page.js'
import type { Problem } from '../problem.js'
import { commonWords } from '../words.js'
import { permissionLines, type GrantedAccesses, type GrantedAccess } from './grantedAccesses.js'
import { dayText, distance, machineTime, timeText } from '../times.js'
import { accessWords } from './words.js'

export const PATH = '/access'

const PER_PAGE = 25
/** Number of permissions per access in the lists; the access's own page shows all. */
const MAX_LINES = 4
const MAX_DETAILS = 200

/** Renders the page: apps and shared accesses, then sessions, each with pagination. */
export function listView(visit: OwnVisit, { accesses, sessions }: GrantedAccesses, problem?: Problem): PageContent {
  const words = accessWords[visit.language]
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      {problem === undefined ? <Notice visit={visit} /> : null}
      {accesses.length === 0 ? <p>{words.onlyYou}</p> : null}
      <Listed visit={visit} parameter="page" all={accesses} />
      <h2>{words.sessions}</h2>
      <p class="soft small">{words.sessionsText}</p>
      <Listed visit={visit} parameter="sessions" all={sessions} />
      <div class="split buttons">
        <a class="button second" href={linkTo(visit, pathOfTarget('mfa'))}>
          {words.secondFactor}
        </a>
        <Form visit={visit} path={PATH}>
          <input type="hidden" name="do" value="sign-out" />
          <button class="second">{commonWords[visit.language].signOut}</button>
        </Form>
      </div>
    </>
  )
  return { title: words.title, body, isWide: true, status: problem?.status ?? 200 }
}

function Notice({ visit }: { visit: OwnVisit }) {
  const words = accessWords[visit.language]
  const done = visit.query.get('done')
  if (done !== 'revoked' && done !== 'ended') return <></>
  const also = Number(visit.query.get('also'))
  const more = Number.isSafeInteger(also) && also > 0 ? ` ${words.revokedToo(also)}` : ''
  return (
    <div class="done" role="status">
      <p>{done === 'ended' ? words.signedOut : words.revoked + more}</p>
    </div>
  )
}

interface ListedProps {
  visit: OwnVisit
  /** Query parameter with the page number of the list. */
  parameter: 'page' | 'sessions'
  all: readonly GrantedAccess[]
}

function Listed({ visit, parameter, all }: ListedProps) {
  if (all.length === 0) return <></>
  const pages = Math.ceil(all.length / PER_PAGE)
  const requestedPage = Number(visit.query.get(parameter) ?? 1)
  const page = Number.isSafeInteger(requestedPage) ? Math.min(Math.max(requestedPage, 1), pages) : 1
  return (
    <>
      <ul class="rows">
        {all.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((access) => (
          <li>
            <Row visit={visit} access={access} />
          </li>
        ))}
      </ul>
      {pages === 1 ? null : <Pager visit={visit} parameter={parameter} page={page} pages={pages} />}
    </>
  )
}

function Pager({ visit, parameter, page, pages }: { visit: OwnVisit; parameter: 'page' | 'sessions'; page: number; pages: number }) {
  const words = accessWords[visit.language]
  const other = parameter === 'page' ? 'sessions' : 'page'
  const otherPage = visit.query.get(other)
  const to = (number: number): string =>
    linkTo(visit, PATH, { ...(otherPage === null ? {} : { [other]: otherPage }), [parameter]: String(number) })
  return (
    <nav class="split small" aria-label={words.pager}>
      {page > 1 ? <a href={to(page - 1)}>{words.previous}</a> : <span></span>}
      <span>{words.page(page, pages)}</span>
      {page < pages ? <a href={to(page + 1)}>{words.next}</a> : <span></span>}
    </nav>
  )
}

function Row({ visit, access }: { visit: OwnVisit; access: GrantedAccess }) {
  const words = accessWords[visit.language]
  const isSession = access.type === 'personal'
  return (
    <>
      <Heading visit={visit} access={access} isBelow={isSession} />
      <Facts visit={visit} access={access} most={MAX_LINES} />
      {access.isDelegation ? <p class="small">{words.delegationText}</p> : null}
      {access.isOwn || access.isDelegation ? null : (
        <p class="small">
          <a href={linkTo(visit, PATH, { id: access.id })}>
            {isSession ? words.signOutOf : words.details}
            <span class="hidden">: {access.title}</span>
          </a>
        </p>
      )}
    </>
  )
}

/** Renders the title of an access, one level lower when it `isBelow` another heading of the page. */
function Heading({ visit, access, isBelow = false }: { visit: OwnVisit; access: GrantedAccess; isBelow?: boolean }) {
  const words = accessWords[visit.language]
  const content = (
    <>
      {access.title} <span class="tag">{access.isOwn ? words.thisSession : words.types[access.isDelegation ? 'delegate' : access.type]}</span>{' '}
      {access.isExpired ? <span class="tag">{words.expired}</span> : null}
    </>
  )
  return isBelow ? <h3 class="entry name">{content}</h3> : <h2 class="entry name">{content}</h2>
}

/** Renders the details of an access. `most` is the number of permissions to show. */
function Facts({ visit, access, most: max }: { visit: OwnVisit; access: GrantedAccess; most: number }) {
  const { language, node } = visit
  const words = accessWords[language]
  const now = node.clock.now()
  const { appId, device, delegate, isDelegation, manager, lastUsed, created, expires, type } = access
  return (
    <dl class="facts small">
      {appId === undefined ? null : <Fact name={words.id}>{appId}</Fact>}
      {device === undefined ? null : <Fact name={words.device}>{device}</Fact>}
      {manager === undefined ? null : <Fact name={words.manager}>{manager}</Fact>}
      {delegate === undefined || isDelegation ? null : <Fact name={words.givenBy}>{delegate}</Fact>}
      {isDelegation ? <Fact name={words.may}>{words.mayAll}</Fact> : null}
      {type === 'personal' || isDelegation ? null : <May visit={visit} access={access} most={max} />}
      <Fact name={words.lastUsed}>{lastUsed === undefined ? words.never : <Time at={lastUsed} text={distance(lastUsed, now, language)} />}</Fact>
      <Fact name={words.created}>
        <Time at={created} text={dayText(created, visit)} />
      </Fact>
      {expires === undefined ? null : (
        <Fact name={access.isExpired ? words.expiredOn : words.expires}>
          <Time at={expires} text={`${timeText(expires, visit)}, ${distance(expires, now, language)}`} />
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="name">{children}</dd>
    </>
  )
}

function May({ visit, access, most: max }: { visit: OwnVisit; access: GrantedAccess; most: number }) {
  const words = accessWords[visit.language]
  // Two streams may have the same name: where there is space, show the id as well.
  const isWhole = max > MAX_LINES
  const { permissions } = access
  const lines = permissionLines(visit, permissions.slice(0, max))
  const more = permissions.length - lines.length
  return (
    <>
      <dt>{words.may}</dt>
      {lines.length === 0 ? <dd>{words.mayNothing}</dd> : null}
      {lines.map(({ text, streamId }) => (
        <dd class="name">
          {text} {isWhole && streamId !== undefined ? <code class="soft">{streamId}</code> : null}
        </dd>
      ))}
      {more > 0 ? <dd class="soft">{words.more(more)}</dd> : null}
    </>
  )
}

function Time({ at, text }: { at: number; text: string }) {
  return <time datetime={machineTime(at)}>{text}</time>
}

/** Renders an access, and the accesses revoked with it, before it is revoked. */
export function confirmView(visit: OwnVisit, access: GrantedAccess, problem?: Problem): PageContent {
  const words = accessWords[visit.language]
  const isSession = access.type === 'personal'
  const { shares, together } = access
  const body = (
    <>
      <Heading visit={visit} access={access} />
      <Facts visit={visit} access={access} most={MAX_DETAILS} />
      <p>{isSession ? words.endText : words.revokeText}</p>
      {shares.length === 0 ? null : (
        <>
          <p>{words.withShares(shares.length)}</p>
          <ul>
            {shares.slice(0, MAX_DETAILS).map(({ title }) => (
              <li class="name">{title}</li>
            ))}
          </ul>
        </>
      )}
      {together.length === 0 ? null : (
        <>
          <p>{words.together}</p>
          <ul>
            {together.slice(0, MAX_DETAILS).map(({ title }) => (
              <li class="name">{title}</li>
            ))}
          </ul>
        </>
      )}
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="do" value="revoke" />
        <input type="hidden" name="id" value={access.id} />
        <div class="buttons">
          <button class="bad">{isSession ? words.end : words.revoke}</button>
          <a class="button second" href={linkTo(visit, PATH)}>
            {words.keep}
          </a>
        </div>
      </Form>
    </>
  )
  return { title: isSession ? words.endTitle : words.revokeTitle, body, status: problem?.status ?? 200 }
}
