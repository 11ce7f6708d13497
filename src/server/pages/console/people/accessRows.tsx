/** @jsxImportSource hono/jsx */
/** Accesses as rows of lists, and their facts: what they open, since when, last use and end. */
import type { Child } from 'hono/jsx'
import { permissionLines, type GrantedAccess } from '../../access/grantedAccesses.js'
import { accessWords } from '../../access/words.js'
import { linkTo } from '../../links.js'
import { dayText, distance, machineTime, timeText } from '../../times.js'
import { pageNumber, Pager } from '../components.js'
import type { ConsoleVisit } from '../consolePage.js'
import { CHANGE_PATH, DELEGATIONS_PATH, LINK_PATH, ONE_PATH, WITHDRAW_PATH } from './paths.js'
import { peopleWords } from './words.js'

const PER_PAGE = 25
/** Number of permissions per access in the lists; the access's own page shows all. */
const MAX_LINES = 4
export const MAX_DETAILS = 200

interface RowsProps {
  visit: ConsoleVisit
  path: string
  /** Query parameter with the page number of the list. */
  parameter: string
  all: readonly GrantedAccess[]
  /** True for a list below a heading. */
  isBelow?: boolean
}

/** Renders a paged list of accesses. */
export function AccessRows({ visit, path, parameter, all, isBelow = false }: RowsProps) {
  if (all.length === 0) return <></>
  const pages = Math.ceil(all.length / PER_PAGE)
  const page = pageNumber(visit.query, pages, parameter)
  return (
    <>
      <ul class="rows">
        {all.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((access) => (
          <li>
            <Row visit={visit} access={access} isBelow={isBelow} />
          </li>
        ))}
      </ul>
      <Pager visit={visit} path={path} parameters={others(visit, parameter)} name={parameter} page={page} pages={pages} />
    </>
  )
}

/** Returns the page number of the other list of the page. */
function others({ query }: ConsoleVisit, parameter: string): Record<string, string> {
  const other = parameter === 'page' ? 'sessions' : 'page'
  const number = query.get(other)
  return number === null ? {} : { [other]: number.slice(0, 10) }
}

function Row({ visit, access, isBelow }: { visit: ConsoleVisit; access: GrantedAccess; isBelow: boolean }) {
  const words = accessWords[visit.language]
  return (
    <>
      <Heading visit={visit} access={access} isBelow={isBelow} />
      <Facts visit={visit} access={access} most={MAX_LINES} />
      {access.kind === 'delegate' ? (
        <p class="small">
          {words.delegationText} <a href={linkTo(visit, DELEGATIONS_PATH)}>{peopleWords[visit.language].tabs.delegations}</a>
        </p>
      ) : null}
      {access.isOwn || access.kind === 'delegate' ? null : <Actions visit={visit} access={access} />}
    </>
  )
}

function Actions({ visit, access }: { visit: ConsoleVisit; access: GrantedAccess }) {
  const words = peopleWords[visit.language]
  const { kind, id } = access
  const actions: (readonly [string, string])[] =
    kind === 'session'
      ? [[accessWords[visit.language].signOutOf, WITHDRAW_PATH]]
      : [
          [words.details, ONE_PATH],
          ...(kind === 'link' ? [[words.showLink, LINK_PATH] as const] : []),
          [words.change, CHANGE_PATH],
          [words.withdraw, WITHDRAW_PATH],
        ]
  return (
    <p class="actions small">
      {actions.map(([text, path]) => (
        <a href={linkTo(visit, path, { id })}>
          {text}
          <span class="hidden">: {access.title}</span>
        </a>
      ))}
    </p>
  )
}

/** Renders the title of an access with its kind, one level lower when it `isBelow` another heading of the page. */
export function Heading({ visit, access, isBelow = false }: { visit: ConsoleVisit; access: GrantedAccess; isBelow?: boolean }) {
  const content = (
    <>
      <bdi>{access.title}</bdi> <Tags visit={visit} access={access} />
    </>
  )
  return isBelow ? <h3 class="entry name">{content}</h3> : <h2 class="entry name">{content}</h2>
}

/** Renders the kind of an access, and its state. */
export function Tags({ visit, access }: { visit: ConsoleVisit; access: GrantedAccess }) {
  const words = accessWords[visit.language]
  const people = peopleWords[visit.language]
  const kinds = { link: words.types.shared, app: words.types.app, session: words.types.personal, delegate: words.types.delegate }
  const { kind } = access
  const name = kind === 'client' || kind === 'consent' || kind === 'offer' ? people[kind] : kinds[kind]
  return (
    <>
      <span class="tag">{access.isOwn ? words.thisSession : name}</span> {access.isExpired ? <span class="tag ended">{words.expired}</span> : null}
    </>
  )
}

/** Renders the details of an access. `most` is the number of permissions to show. */
export function Facts({ visit, access, most: max }: { visit: ConsoleVisit; access: GrantedAccess; most: number }) {
  const { language, node } = visit
  const words = accessWords[language]
  const people = peopleWords[language]
  const now = node.clock.now()
  const { appId, device, delegate, kind, manager, lastUsed, created, modified, expires, note } = access
  const isWhole = max > MAX_LINES
  return (
    <dl class="facts small">
      {appId === undefined ? null : <Fact name={words.id}>{appId}</Fact>}
      {device === undefined ? null : <Fact name={words.device}>{device}</Fact>}
      {manager === undefined ? null : <Fact name={words.manager}>{manager}</Fact>}
      {delegate === undefined || kind === 'delegate' ? null : <Fact name={words.givenBy}>{delegate}</Fact>}
      {kind === 'delegate' ? <Fact name={words.may}>{words.mayAll}</Fact> : null}
      {kind === 'session' || kind === 'delegate' ? null : <May visit={visit} access={access} most={max} />}
      {isWhole && note !== undefined ? <Fact name={people.note}>{note}</Fact> : null}
      <Fact name={words.lastUsed}>{lastUsed === undefined ? words.never : <TimeText at={lastUsed} text={distance(lastUsed, now, language)} />}</Fact>
      <Fact name={words.created}>
        <TimeText at={created} text={dayText(created, visit)} />
      </Fact>
      {isWhole && modified !== undefined ? (
        <Fact name={people.changed}>
          <TimeText at={modified} text={dayText(modified, visit)} />
        </Fact>
      ) : null}
      {expires === undefined ? (
        isWhole && kind !== 'session' ? <Fact name={words.expires}>{people.noEnd}</Fact> : null
      ) : (
        <Fact name={access.isExpired ? words.expiredOn : words.expires}>
          <TimeText at={expires} text={`${timeText(expires, visit)}, ${distance(expires, now, language)}`} />
        </Fact>
      )}
    </dl>
  )
}

/** Renders a named fact of a list of facts. */
export function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="name" dir="auto">
        {children}
      </dd>
    </>
  )
}

function May({ visit, access, most: max }: { visit: ConsoleVisit; access: GrantedAccess; most: number }) {
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

/** Renders a time with a text of its own. */
export function TimeText({ at, text }: { at: number; text: string }) {
  return <time datetime={machineTime(at)}>{text}</time>
}
