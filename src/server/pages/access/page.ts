/** The owner's page: lists who has access to the account, and revokes accesses. */
import { Failure } from '../../../store/model/failure.js'
import { remove } from '../../api/accesses/delete.js'
import { logout } from '../../api/auth/logout.js'
import { linkTo } from '../links.js'
import { consolePage } from '../console/consolePage.js'
import type { Answer, Page, OwnVisit, OwnFormVisit } from '../page.js'
import { problemOf } from '../problem.js'
import { callAsOwner } from '../session.js'
import { grantedAccesses, grantedAccess } from './grantedAccesses.js'
import { confirmView, listView, PATH } from './views.js'
import { accessWords } from './words.js'

export const accessPage: Page = consolePage({
  path: PATH,
  section: 'people',
  async show(visit) {
    const all = await grantedAccesses(visit)
    const id = visit.query.get('id')
    if (id === null) return listView(visit, all)
    const access = grantedAccess(all, id)
    if (access?.isOwn === true || access?.isDelegation === true) return listView(visit, all)
    return access === undefined ? goneView(visit) : confirmView(visit, access)
  },
  submit(submission) {
    const action = submission.form.get('do')
    if (action === 'sign-out') return signOut(submission)
    if (action === 'revoke') return revoke(submission, submission.form.get('id') ?? '')
    return { redirect: linkTo(submission, PATH) }
  },
})

async function signOut(submission: OwnFormVisit): Promise<Answer> {
  await callAsOwner(submission, submission.session, logout, {})
  submission.cookies.remove('session')
  return { redirect: linkTo(submission, '/sign-in') }
}

async function goneView(visit: OwnVisit): Promise<Answer> {
  return listView(visit, await grantedAccesses(visit), { text: accessWords[visit.language].gone, status: 404 })
}

async function revoke(submission: OwnFormVisit, id: string): Promise<Answer> {
  const access = grantedAccess(await grantedAccesses(submission), id)
  if (access === undefined) return goneView(submission)
  // Ending the own session is signing out.
  if (access.isOwn) return signOut(submission)
  try {
    const { relatedDeletions } = await callAsOwner(submission, submission.session, remove, { id })
    const also = Array.isArray(relatedDeletions) ? { also: String(relatedDeletions.length) } : {}
    return { redirect: linkTo(submission, PATH, { done: access.type === 'personal' ? 'ended' : 'revoked', ...also }) }
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-resource') return goneView(submission)
    const problem = problemOf(submission, error, {
      'stale-resource': accessWords[submission.language].stale,
      ...(access.isDelegation ? { 'invalid-operation': accessWords[submission.language].delegationText } : {}),
    })
    const now = grantedAccess(await grantedAccesses(submission), id)
    if (now === undefined) return goneView(submission)
    return now.isDelegation ? listView(submission, await grantedAccesses(submission), problem) : confirmView(submission, now, problem)
  }
}
