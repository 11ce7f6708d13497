/** @jsxImportSource hono/jsx */
/** Confirmation before an access is withdrawn or a session ended, with what ends together with it. */
import { Failure } from '../../../../store/model/failure.js'
import { remove } from '../../../api/accesses/delete.js'
import type { GrantedAccess } from '../../access/grantedAccesses.js'
import { accessWords } from '../../access/words.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { Facts, Heading, MAX_DETAILS } from './accessRows.js'
import { signOut } from '../signOutPage.js'
import { accessIn, goneList, listOfAccess, listPathOf } from './onePage.js'
import { APPS_PATH, DELEGATIONS_PATH, LINKS_PATH, ONE_PATH, WITHDRAW_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'
import { peopleWords } from './words.js'

export const withdrawPage: Page = consolePage({
  path: WITHDRAW_PATH,
  section: 'people',
  async show(visit) {
    const access = await accessIn(visit, visit.query.get('id') ?? '')
    if (access === undefined) return goneList(visit)
    if (access.kind === 'delegate') return redirectTo(visit, DELEGATIONS_PATH)
    if (access.isOwn) return redirectTo(visit, APPS_PATH)
    return confirmation(visit, access)
  },
  async submit(submission) {
    const id = submission.form.get('id') ?? ''
    const access = await accessIn(submission, id)
    if (access === undefined) return goneList(submission)
    // Ending the own session is signing out.
    return access.isOwn ? signOut(submission) : withdraw(submission, access, id)
  },
})

async function withdraw(submission: ConsoleFormVisit, access: GrantedAccess, id: string): Promise<Answer> {
  const words = accessWords[submission.language]
  try {
    const { relatedDeletions } = await callAsOwner(submission, submission.session, remove, { id })
    const also = Array.isArray(relatedDeletions) ? { also: String(relatedDeletions.length) } : {}
    const list = access.kind === 'link' ? LINKS_PATH : APPS_PATH
    return redirectTo(submission, list, { done: access.kind === 'session' ? 'ended' : 'revoked', ...also })
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-resource') return goneList(submission)
    if (access.kind === 'delegate') return listOfAccess(submission, access, problemWith(words.delegationText))
    const problem = problemOf(submission, error, { 'stale-resource': words.stale })
    const now = await accessIn(submission, id)
    return now === undefined ? goneList(submission) : confirmation(submission, now, problem)
  }
}

/** Renders an access, and the accesses that end with it, before it is withdrawn. */
function confirmation(visit: ConsoleVisit, access: GrantedAccess, problem?: Problem): Answer {
  const words = accessWords[visit.language]
  const isSession = access.kind === 'session'
  const { shares, together } = access
  const body = (
    <div class="narrow">
      <section class="card">
        <Heading visit={visit} access={access} />
        <Facts visit={visit} access={access} most={MAX_DETAILS} />
      </section>
      {isSession ? null : <p dir="auto">{peopleWords[visit.language].allWithdraw(access.title)}</p>}
      <p>{isSession ? words.endText : words.revokeText}</p>
      {shares.length === 0 ? null : <Names text={words.withShares(shares.length)} accesses={shares} />}
      {together.length === 0 ? null : <Names text={words.together} accesses={together} />}
      <Form visit={visit} path={WITHDRAW_PATH} problem={problem}>
        <input type="hidden" name="id" value={access.id} />
        <div class="buttons">
          <button class="bad">{isSession ? words.end : words.revoke}</button>
          <a class="button second" href={isSession ? linkTo(visit, listPathOf(access)) : linkTo(visit, ONE_PATH, { id: access.id })}>
            {words.keep}
          </a>
        </div>
      </Form>
    </div>
  )
  return { title: isSession ? words.endTitle : words.revokeTitle, body, status: problem?.status ?? 200, assets: peopleAssets }
}

const Names = ({ text, accesses }: { text: string; accesses: readonly GrantedAccess[] }) => (
  <>
    <p>{text}</p>
    <ul>
      {accesses.slice(0, MAX_DETAILS).map(({ title }) => (
        <li class="name" dir="auto">
          {title}
        </li>
      ))}
    </ul>
  </>
)
