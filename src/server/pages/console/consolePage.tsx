/** @jsxImportSource hono/jsx */
/**
 * Pages of the console: owner pages in the frame of the console. They show the account of the signed-in person, or one that the
 * person manages by delegation, which the address names (`as`); every call uses the session of that account.
 */
import { Failure } from '../../../store/model/failure.js'
import { buildCall } from '../../dispatch/call.js'
import { assertWithinLimits, limitsOf, measureFirst } from '../../dispatch/quota.js'
import { assertWritable } from '../../dispatch/uploads.js'
import { actingFor } from '../acting/managed.js'
import type { Session } from '../flow.js'
import { linkTo } from '../links.js'
import { ownerPage, type Answer, type FormVisit, type OwnVisit, type Page, type PageContent } from '../page.js'
import { headersOfProblem, problemOf, problemWith, type Problem } from '../problem.js'
import { consoleScript, consoleStyle } from './consoleAssets.js'
import { Frame } from './frame.js'
import type { SectionId } from './sections.js'
import { consoleWords } from './words.js'

/** A visit of a page of the console. `session` is that of the account shown, `person` that of the signed-in person. */
export interface ConsoleVisit extends OwnVisit {
  person: Session
}

export type ConsoleFormVisit = ConsoleVisit & FormVisit

interface ConsolePage {
  /** Path below the root of the pages: `/data/event`. */
  path: string
  section: SectionId
  /** True for pages of the person rather than the account shown: sessions, the password, the switch of accounts. */
  isOfPerson?: true
  show: (visit: ConsoleVisit) => Answer | Promise<Answer>
  submit?: (submission: ConsoleFormVisit) => Answer | Promise<Answer>
  /** Maximum size of the form in megabytes; 0.0625 by default. */
  maxFormMb?: number
  /** True for a form with files; the account shown must have space for them. */
  isUpload?: true
}

/** Creates a page of the console. */
export function consolePage({ path, section, isOfPerson, show, submit, isUpload, maxFormMb }: ConsolePage): Page {
  async function framed<T extends OwnVisit, A extends Answer | undefined>(visit: T, act: (visit: T & { person: Session }) => A | Promise<A>): Promise<A | Answer> {
    const person = visit.session
    let own: T & { person: Session } = { ...visit, person }
    try {
      if (isOfPerson !== true) own = { ...own, session: await shownAccount(visit, person) }
      const answer = await act(own)
      return answer !== undefined && 'body' in answer ? inFrame(own, section, answer) : answer
    } catch (error) {
      return inFrame(own, section, problemContent(visit, problemOf(visit, error)))
    }
  }
  return ownerPage({
    path,
    show: (visit) => framed(visit, show),
    ...(submit === undefined ? {} : { submit: (submission) => framed(submission, submit) }),
    ...(maxFormMb === undefined ? {} : { maxFormMb }),
    ...(isUpload === true ? { beforeUpload: (visit) => framed(visit, assertMayUpload) } : {}),
  })
}

/** @throws Failure while the node cannot write, or for an account over its limits */
async function assertMayUpload(visit: OwnVisit): Promise<undefined> {
  const { node, origin, session } = visit
  assertWritable(node)
  const call = buildCall(node, origin, session.loaded, session.caller)
  const limits = limitsOf(node, call.user)
  await measureFirst(call)
  if (limits !== undefined) assertWithinLimits(call, node.store.db, limits, true)
}

/** Returns the session of the account that the address names, else the person's own. */
async function shownAccount(visit: OwnVisit, person: Session): Promise<Session> {
  const { as } = visit.flow
  if (as === undefined || as === person.user.username) return person
  try {
    return await actingFor(visit, person, as)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Links of the problem page lead to the own account.
    delete visit.flow.as
    throw new Failure('forbidden', consoleWords[visit.language].notManaged(as))
  }
}

function inFrame(visit: ConsoleVisit, section: SectionId, content: PageContent): PageContent {
  return {
    ...content,
    assets: [consoleStyle, consoleScript, ...(content.assets ?? [])],
    frame: (shown, languages) => <Frame visit={visit} section={section} content={shown} languages={languages} />,
  }
}

/** Returns the content of a page that shows only a problem. */
function problemContent({ language }: OwnVisit, problem: Problem): PageContent {
  return {
    title: consoleWords[language].sections.overview,
    body: (
      <div class="problem" role="alert">
        <p>{problem.text}</p>
      </div>
    ),
    status: problem.status,
    headers: headersOfProblem(problem),
  }
}

/** Returns the page for something that does not exist, or no longer, with a link to go on. */
export function missingContent(visit: OwnVisit, title: string, text: string, link?: { text: string; href: string }): PageContent {
  const content = problemContent(visit, { ...problemWith(text), status: 404 })
  if (link === undefined) return { ...content, title }
  const body = (
    <>
      {content.body}
      <p>
        <a href={link.href}>{link.text}</a>
      </p>
    </>
  )
  return { ...content, title, body }
}

/** Returns the answer that redirects to a page of the console, with a notice for it (`done`). */
export const redirectTo = (visit: OwnVisit, path: string, more: Readonly<Record<string, string>> = {}): Answer => ({ redirect: linkTo(visit, path, more) })
