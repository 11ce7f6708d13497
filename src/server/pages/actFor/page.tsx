/** @jsxImportSource hono/jsx */
/**
 * Page that asks whose account an app's request is for: the own account or a managed one
 * (docs/interface/access-requests.md#pages).
 */
import { isDecided, type AccessRequest } from '../../../store/model/accessRequest.js'
import { refuse } from '../../api/accessRequests/approval.js'
import { presentName } from '../../api/delegations/identity.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { requestOf } from '../authorize/app.js'
import { donePath } from '../authorize/done.js'
import { leave } from '../authorize/leave.js'
import { storedReturn, unknownRequest } from '../authorize/unknown.js'
import { linkTo } from '../links.js'
import type { Answer, Page, FormVisit, Visit } from '../page.js'
import type { Session } from '../flow.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { choiceFor, choicesFor, isNothingLeft, rememberChoice, mayChoose, namedOther } from '../acting/choice.js'
import { Choosing } from './choosing.js'
import { actingFor } from '../acting/managed.js'
import { ACT_FOR, LOST } from '../acting/actingTarget.js'
import { actForWords } from '../acting/words.js'

/** Reason sent to the app when the person has no account for it (docs/interface/access-requests.md). */
const UNAVAILABLE = 'MANAGED_ACCOUNT_UNAVAILABLE'

export const actForPage: Page = {
  path: ACT_FOR,
  async show(visit) {
    const requestVisit = await requestVisitOf(visit)
    if (!('request' in requestVisit)) return requestVisit
    const problem = visit.query.has(LOST) ? problemWith(actForWords[visit.language].lost) : undefined
    return questionOf(visit, requestVisit, problem)
  },
  async submit(submission) {
    const requestVisit = await requestVisitOf(submission)
    if (!('request' in requestVisit)) return requestVisit
    switch (submission.form.get('do')) {
      case 'leave':
        return leave(submission, requestVisit.session)
      case 'refuse':
        return refuseRequest(submission, requestVisit)
      default:
        return chooseAccount(submission, requestVisit)
    }
  },
}

interface RequestVisit {
  request: AccessRequest
  session: Session
}

/** Returns the request and the session of the person, or the page to show or redirect to without them. */
export async function requestVisitOf(visit: Visit | FormVisit): Promise<RequestVisit | Answer> {
  // The first view starts the full lifetime of the request, as on the consent page.
  const request = await requestOf(visit, visit.session === undefined ? {} : { isOpen: true })
  if (request === undefined) return unknownRequest(visit, 'form' in visit ? visit.form.get('back') : null)
  if (isDecided(request)) return { redirect: linkTo(visit, '/done') }
  if (visit.session === undefined) return { redirect: linkTo(visit, '/sign-in') }
  if (!mayChoose(request)) return { redirect: linkTo(visit, '/authorize') }
  return { request, session: visit.session }
}

async function questionOf(visit: Visit, { request, session }: RequestVisit, problem?: Problem, picked?: string): Promise<Answer> {
  const choices = await choicesFor(visit, session, request)
  const back = storedReturn(visit, request.returnURL)
  const named = namedOther(request, session)
  const preselected = named === undefined ? request.actAs : await presentName(visit.node, named)
  const ticked = picked ?? choiceFor(visit, session, request.key) ?? preselected
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

async function chooseAccount(submission: FormVisit, requestVisit: RequestVisit): Promise<Answer> {
  const { request, session } = requestVisit
  const username = submission.form.get('for') ?? ''
  const showAgain = (problem: Problem): Promise<Answer> => questionOf(submission, requestVisit, problem, username)
  const { isOwnOffered, active } = await choicesFor(submission, session, request)
  const isOwn = username === session.user.username
  if (isOwn ? !isOwnOffered : !active.includes(username)) return showAgain(problemWith(actForWords[submission.language].choose, 'for'))
  try {
    // Report here that an account is unusable, because another one can be chosen on this page.
    if (!isOwn) await actingFor(submission, session, username)
  } catch (error) {
    return showAgain(problemIn(submission, username, error))
  }
  rememberChoice(submission, session, request.key, username)
  return { redirect: linkTo(submission, '/authorize') }
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

/** Refuses the request. For a form that is sent twice, the second submission finds the request decided. */
function refuseRequest(submission: FormVisit, { request: { key }, session }: RequestVisit): Promise<Answer> {
  const { node } = submission
  return serialiseByKey(node.accessRequests, `page of ${key}`, async () => {
    const request = await requestOf(submission)
    if (request === undefined) return unknownRequest(submission, submission.form.get('back'))
    if (!isDecided(request)) {
      const isUnavailable = isNothingLeft(await choicesFor(submission, session, request))
      // Another window may have decided during the lookup.
      const now = await requestOf(submission)
      if (now === undefined) return unknownRequest(submission, submission.form.get('back'))
      if (!isDecided(now)) {
        if (isUnavailable) await refuse(node, key, UNAVAILABLE, 'The user does not manage such an account.')
        else await refuse(node, key)
      }
    }
    return { redirect: donePath(submission, key) }
  })
}
