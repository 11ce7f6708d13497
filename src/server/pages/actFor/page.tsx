/** @jsxImportSource hono/jsx */
/** For whom a request of an app is (accounts supplement 13.1, step 8): the own account, or one that is managed. */
import { isDecided, type AccessRequest } from '../../../store/model/accessRequest.js'
import { refuse } from '../../accessRequest/approval.js'
import { presentName } from '../../delegations/identity.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { requestOf } from '../authorize/app.js'
import { donePath } from '../authorize/done.js'
import { leave } from '../authorize/leave.js'
import { storedReturn, unknownRequest } from '../authorize/unknown.js'
import { linkTo } from '../links.js'
import type { Answer, Page, Sent, Session, Visit } from '../page.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { choiceFor, choicesFor, isNothingLeft, rememberChoice, mayChoose, namedOther } from '../acting/choice.js'
import { Choosing } from './choosing.js'
import { actingFor } from '../acting/managed.js'
import { ACT_FOR, LOST } from '../acting/actingTarget.js'
import { actForWords } from '../acting/words.js'

/** What the app is told of a person who has no account for it (specification, "Access request"). */
const UNAVAILABLE = 'MANAGED_ACCOUNT_UNAVAILABLE'

export const actForPage: Page = {
  path: ACT_FOR,
  async show(visit) {
    const input = askedIn(visit)
    if (!('request' in input)) return input
    const problem = visit.query.has(LOST) ? problemWith(actForWords[visit.language].lost) : undefined
    return questionOf(visit, input, problem)
  },
  async take(sent) {
    const input = askedIn(sent)
    if (!('request' in input)) return input
    switch (sent.form.get('do')) {
      case 'leave':
        return leave(sent, input.session)
      case 'refuse':
        return refused(sent, input)
      default:
        return chosen(sent, input)
    }
  },
}

interface Asked {
  request: AccessRequest
  session: Session
}

/** The request and the person who is asked about it, or where to go without. */
export function askedIn(visit: Visit | Sent): Asked | Answer {
  const request = requestOf(visit)
  if (request === undefined) return unknownRequest(visit, 'form' in visit ? visit.form.get('back') : null)
  if (isDecided(request)) return { redirect: linkTo(visit, '/done') }
  // From the first look on it has its whole life, as on the consent page.
  visit.node.accessRequests.poll(request.key)
  if (visit.session === undefined) return { redirect: linkTo(visit, '/sign-in') }
  visit.node.accessRequests.open(request.key)
  if (!mayChoose(request)) return { redirect: linkTo(visit, '/authorize') }
  return { request, session: visit.session }
}

async function questionOf(visit: Visit, { request, session }: Asked, problem?: Problem, picked?: string): Promise<Answer> {
  const choices = await choicesFor(visit, session, request)
  const back = storedReturn(visit, request.returnURL)
  const named = namedOther(request, session)
  const input = named === undefined ? request.actAs : await presentName(visit.node, named)
  const ticked = picked ?? choiceFor(visit, session, request.key) ?? input
  const body = (
    <Choosing
      visit={visit}
      appId={request.requestingAppId}
      own={session.user.username}
      choices={choices}
      ticked={ticked}
      problem={problem}
      hidden={back === undefined ? {} : { back }}
    />
  )
  return { title: actForWords[visit.language].title, body, status: problem?.status ?? 200 }
}

async function chosen(sent: Sent, input: Asked): Promise<Answer> {
  const { request, session } = input
  const username = sent.form.get('for') ?? ''
  const again = (problem: Problem): Promise<Answer> => questionOf(sent, input, problem, username)
  const { isOwnOffered, active } = await choicesFor(sent, session, request)
  const isOwn = username === session.user.username
  if (isOwn ? !isOwnOffered : !active.includes(username)) return again(problemWith(actForWords[sent.language].choose, 'for'))
  try {
    // What cannot be acted for is told here, where another can be chosen.
    if (!isOwn) await actingFor(sent, session, username)
  } catch (error) {
    return again(problemIn(sent, username, error))
  }
  rememberChoice(sent, session, request.key, username)
  return { redirect: linkTo(sent, '/authorize') }
}

function problemIn(visit: Visit, username: string, error: unknown): Problem {
  const words = actForWords[visit.language]
  return problemOf(visit, error, {
    'delegation-not-found': words.notManaged(username),
    'delegation-not-active': words.ended(username),
    'delegation-delivery-failed': words.unreachable(username),
    'delegation-unknown-core': words.elsewhere(username),
  })
}

/** What a browser sends twice is answered once: the second finds the request decided. */
function refused(sent: Sent, { request: { key }, session }: Asked): Promise<Answer> {
  const { node } = sent
  return serialiseByKey(node.accessRequests, `page of ${key}`, async () => {
    const request = requestOf(sent)
    if (request === undefined) return unknownRequest(sent, sent.form.get('back'))
    if (!isDecided(request)) {
      const isUnavailable = isNothingLeft(await choicesFor(sent, session, request))
      // While that was looked up, somebody else may have decided.
      const now = requestOf(sent)
      if (now === undefined) return unknownRequest(sent, sent.form.get('back'))
      if (!isDecided(now)) {
        if (isUnavailable) refuse(node, key, UNAVAILABLE, 'The user manages no such account.')
        else refuse(node, key)
      }
    }
    return { redirect: donePath(sent, key) }
  })
}
