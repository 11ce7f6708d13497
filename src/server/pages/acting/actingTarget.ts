/** Resolves the account that gives an app its access: that of the signed-in user, or one that the user manages. */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { linkTo } from '../links.js'
import type { Visit } from '../page.js'
import type { Session } from '../flow.js'
import { choiceFor, choicesFor, isChoiceNeeded, mayChoose } from './choice.js'
import { actingFor } from './managed.js'

/** Path of the page that asks whose account a request is for. */
export const ACT_FOR = '/act-for'
/** Path of the page that creates an account to manage. */
export const ACT_FOR_NEW = '/act-for/new'
/** Query parameter set when the account chosen before is no longer available. */
export const LOST = 'lost'

/** Returns the session in which a request is answered, or the page to go to first. */
export async function actingTarget(visit: Visit, session: Session, request: AccessRequest): Promise<{ target: Session } | { redirect: string }> {
  if (!mayChoose(request)) return { target: session }
  const chosen = choiceFor(visit, session, request.key)
  const own = session.user.username
  if (chosen !== undefined && chosen !== own) {
    try {
      return { target: await actingFor(visit, session, chosen) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { redirect: linkTo(visit, ACT_FOR, { [LOST]: 'yes' }) }
    }
  }
  const choices = await choicesFor(visit, session, request)
  const isOwn = chosen === own ? choices.isOwnOffered : !isChoiceNeeded(request, choices)
  return isOwn ? { target: session } : { redirect: linkTo(visit, ACT_FOR) }
}

/**
 * Returns the session of the account that accepted a request: the own account, or the one chosen for it. Returns
 * undefined for accounts of others, and for one that is no longer managed.
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
