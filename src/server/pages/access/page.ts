/** The owner's page: lists who has access to the account, and revokes accesses. */
import { Failure } from '../../../store/model/failure.js'
import { remove } from '../../accesses/delete.js'
import { logout } from '../../auth/logout.js'
import { linkTo } from '../links.js'
import { ownerPage, type Answer, type Page, type FormVisit } from '../page.js'
import { problemOf } from '../problem.js'
import { callAsOwner } from '../session.js'
import { grantedAccesses, grantedAccess } from './grantedAccesses.js'
import { confirmView, listView, PATH, type OwnVisit } from './views.js'
import { accessWords } from './words.js'

type OwnSent = OwnVisit & FormVisit

export const accessPage: Page = ownerPage({
  path: PATH,
  owner: 'access',
  async show(visit) {
    const all = await grantedAccesses(visit)
    const id = visit.query.get('id')
    if (id === null) return listView(visit, all)
    const given = grantedAccess(all, id)
    if (given?.isOwn === true || given?.isDelegation === true) return listView(visit, all)
    return given === undefined ? goneView(visit) : confirmView(visit, given)
  },
  take(sent) {
    const input = sent.form.get('do')
    if (input === 'sign-out') return signOut(sent)
    if (input === 'revoke') return revoke(sent, sent.form.get('id') ?? '')
    return { redirect: linkTo(sent, PATH) }
  },
})

async function signOut(sent: OwnSent): Promise<Answer> {
  await callAsOwner(sent, sent.session, logout, {})
  sent.cookies.remove('session')
  return { redirect: linkTo(sent, '/sign-in') }
}

async function goneView(visit: OwnVisit): Promise<Answer> {
  return listView(visit, await grantedAccesses(visit), { text: accessWords[visit.language].gone, status: 404 })
}

async function revoke(sent: OwnSent, id: string): Promise<Answer> {
  const given = grantedAccess(await grantedAccesses(sent), id)
  if (given === undefined) return goneView(sent)
  // Ending the own session is signing out.
  if (given.isOwn) return signOut(sent)
  try {
    const { relatedDeletions } = await callAsOwner(sent, sent.session, remove, { id })
    const also = Array.isArray(relatedDeletions) ? { also: String(relatedDeletions.length) } : {}
    return { redirect: linkTo(sent, PATH, { done: given.type === 'personal' ? 'ended' : 'revoked', ...also }) }
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-resource') return goneView(sent)
    const problem = problemOf(sent, error, {
      'stale-resource': accessWords[sent.language].stale,
      ...(given.isDelegation ? { 'invalid-operation': accessWords[sent.language].delegationSays } : {}),
    })
    const now = grantedAccess(await grantedAccesses(sent), id)
    if (now === undefined) return goneView(sent)
    return now.isDelegation ? listView(sent, await grantedAccesses(sent), problem) : confirmView(sent, now, problem)
  }
}
