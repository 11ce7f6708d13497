/** The account that gives an app its access: the own one of whoever is signed in, or one that they act for. */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { linkTo } from '../links.js'
import type { Session, Visit } from '../page.js'
import { choiceFor, choicesFor, isChoiceNeeded, mayChoose } from './choice.js'
import { actingFor } from './managed.js'

/** The page that asks for whom a request is. */
export const ACT_FOR = '/act-for'
/** The page that makes an account to act for. */
export const ACT_FOR_NEW = '/act-for/new'
/** The parameter that says that the account chosen before is no longer to be had. */
export const LOST = 'lost'

/** The session that a request is answered in, or the page to go to first. */
export async function actingTarget(visit: Visit, session: Session, request: AccessRequest): Promise<{ whom: Session } | { redirect: string }> {
  if (!mayChoose(request)) return { whom: session }
  const chosen = choiceFor(visit, session, request.key)
  const own = session.user.username
  if (chosen !== undefined && chosen !== own) {
    try {
      return { whom: await actingFor(visit, session, chosen) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { redirect: linkTo(visit, ACT_FOR, { [LOST]: 'yes' }) }
    }
  }
  const choices = await choicesFor(visit, session, request)
  const isOwn = chosen === own ? choices.isOwnOffered : !isChoiceNeeded(request, choices)
  return isOwn ? { whom: session } : { redirect: linkTo(visit, ACT_FOR) }
}

/**
 * The session of the account that accepted a request: the own one, or that of the account that was chosen for it.
 * Undefined for somebody else's, and for one that is not acted for any more.
 */
export async function answererOf(visit: Visit, request: AccessRequest, username: string): Promise<Session | undefined> {
  const { session } = visit
  if (session === undefined) return undefined
  if (session.user.username === username) return session
  if (visit.isHead || choiceFor(visit, session, request.key) !== username) return undefined
  try {
    return await actingFor(visit, session, username)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
