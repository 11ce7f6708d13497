/** @jsxImportSource hono/jsx */
/**
 * Page where an app's user decides on its access request (docs/interface/access-requests.md#pages); the target of `authUrl`. Only
 * the key and the language are read from the address, everything else from the stored request.
 */
import { isDecided, type AccessRequest } from '../../../store/model/accessRequest.js'
import type { GrantReason } from '../../../store/model/consent.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { Failure } from '../../../store/model/failure.js'
import { approve, refuse } from '../../api/accessRequests/approval.js'
import { consentText, grantProblemText } from '../../api/accessRequests/consentWords.js'
import { isUnanswered, type InviteAnswers } from '../../api/accessRequests/inviteAnswers.js'
import { offerFor, type Offer } from '../../api/accessRequests/offer.js'
import { create } from '../../api/accesses/create.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { choiceFor, mayChoose } from '../acting/choice.js'
import { ForWhom } from '../acting/forWhom.js'
import { isDelegationOn } from '../acting/managed.js'
import { actingTarget } from '../acting/actingTarget.js'
import { iconPath } from '../icons/answer.js'
import { linkTo } from '../links.js'
import type { Answer, Page, FormVisit, Visit } from '../page.js'
import type { Session } from '../flow.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { signedInCall } from '../session.js'
import { requestOf } from './app.js'
import { Consent } from './consent.js'
import { donePath } from './done.js'
import { answersIn, Invites } from './invites.js'
import { leave } from './leave.js'
import { storedReturn, unknownRequest } from './unknown.js'
import { authorizeWords } from './words.js'

const PATH = '/authorize'

export const authorizePage: Page = {
  path: PATH,
  // The digest of the shown content binds its forms to their session; a form of an ended session redirects to sign in.
  async show(visit) {
    // The first view starts the full lifetime of the request, because an app may not poll while it waits for its user
    // to return.
    const request = await requestOf(visit, visit.session === undefined ? {} : { isOpen: true })
    if (request === undefined) return unknownRequest(visit)
    if (isDecided(request)) return { redirect: linkTo(visit, '/done') }
    if (visit.session === undefined) return { redirect: linkTo(visit, '/sign-in') }
    const acting = await actingTarget(visit, visit.session, request)
    if ('redirect' in acting) return acting
    return formOf(visit, acting.target, request, await offerTo(visit, acting.target, request, visit.session))
  },
  async submit(submission) {
    const { node, flow, session } = submission
    // Serialise submissions: when a form is sent twice, the second one finds the request decided.
    return serialiseByKey(node.accessRequests, `page of ${flow.key}`, async () => {
      const request = await requestOf(submission)
      if (request === undefined) return unknownRequest(submission, submission.form.get('back'))
      if (isDecided(request)) return { redirect: donePath(submission, request.key) }
      if (session === undefined) return { redirect: linkTo(submission, '/sign-in') }
      const acting = await actingTarget(submission, session, request)
      return 'redirect' in acting ? acting : decide({ ...submission, session }, acting.target, request)
    })
  },
}

/** Returns the offer of the request for an account, which may differ from that of the signed-in user. */
const offerTo = (visit: Visit, session: Session, request: AccessRequest, person: Session): Promise<Offer> =>
  offerFor(signedInCall(visit, session, create), request, signedInCall(visit, person, create))

/** Executes a decision. `submission.session` belongs to the person, `session` to the account that the request is for. */
async function decide(submission: FormVisit & { session: Session }, session: Session, request: AccessRequest): Promise<Answer> {
  const { node, form } = submission
  const { key } = request
  const offer = await offerTo(submission, session, request, submission.session)
  const showAgain = (): Answer => formOf(submission, session, request, offer, problemWith(authorizeWords[submission.language].changed))
  if (!constantTimeEqual(form.get('shown') ?? '', markOf(submission, session, offer))) return showAgain()
  const ticked = form.getAll('grant')
  const pendingIds = offer.invites.filter(isUnanswered).map(({ id }) => id)
  const answers = answersIn(form, pendingIds)
  try {
    switch (form.get('do')) {
      case 'leave':
        return await leave(submission, submission.session)
      case 'refuse':
        await refuse(node, key, offer.obstacles[0]?.reasonId)
        break
      case 'accept':
        assertMandatoryTicked(offer, ticked)
        if (Object.keys(answers).length < pendingIds.length) {
          return formOf(submission, session, request, offer, problemWith(authorizeWords[submission.language].unanswered), { ticked, answers })
        }
        await approve(signedInCall(submission, session, create), key, ticked, { answers, person: signedInCall(submission, submission.session, create) })
        break
      default:
        return showAgain()
    }
    return { redirect: donePath(submission, key) }
  } catch (error) {
    const now = await requestOf(submission)
    if (now === undefined) return unknownRequest(submission, form.get('back'))
    if (isDecided(now)) return { redirect: donePath(submission, key) }
    const present = await offerTo(submission, session, request, submission.session)
    return formOf(submission, session, request, present, problemIn(submission, error), { ticked, answers })
  }
}

/** Throws when a mandatory permission is missing from the form. */
function assertMandatoryTicked({ entries, allowsChoice }: Offer, ticked: readonly string[]): void {
  if (!allowsChoice || entries.every(({ id, isLocked }) => !isLocked || ticked.includes(id))) return
  throw new Failure('invalid-consent-grant', undefined, { reason: 'mandatory-refused' })
}

/** Returns a digest of the offer, the account and the session; a form with another digest has no effect. */
function markOf({ node, formToken }: Visit, { account, caller }: Session, offer: Offer): string {
  const target = `${account.prefix} in ${caller.token.reveal()}`
  return node.store.seal.digest(`shown with ${formToken} to ${target}: ${JSON.stringify(offer)}`)
}

/** Values of the form so far. */
interface FormValues {
  ticked: readonly string[]
  answers: InviteAnswers
}

function formOf(
  visit: Visit,
  session: Session,
  request: AccessRequest,
  offer: Offer,
  problem?: Problem,
  { ticked, answers }: FormValues = { ticked: offer.entries.filter(({ isTicked }) => isTicked).map(({ id }) => id), answers: {} },
): Answer {
  const { node, language } = visit
  const { username } = session.user
  const isActing = username !== visit.session?.user.username
  const text = consentText(offer, language)
  const { entry } = offer.app
  const back = storedReturn(visit, request.returnURL)
  const body = (
    <Consent
      visit={visit}
      path={PATH}
      text={text}
      icon={entry === undefined ? undefined : iconPath(node, entry)}
      target={<ForWhom visit={visit} acting={isActing ? username : undefined} isChoice={isActing || isAccountChoosable(visit, request)} />}
      ticked={new Set(ticked)}
      problem={problem}
      more={<Invites invites={offer.invites} language={language} answers={answers} isPossible={offer.obstacles.length === 0} />}
      hidden={{
        shown: markOf(visit, session, offer),
        ...(back === undefined ? {} : { back }),
      }}
    />
  )
  return { title: text.title, body, status: problem?.status ?? 200 }
}

/** Checks whether the person had to choose, or may want to choose, whose account the request is for. */
const isAccountChoosable = (visit: Visit, request: AccessRequest): boolean =>
  visit.session !== undefined &&
  isDelegationOn(visit) &&
  mayChoose(request) &&
  (request.actAs !== undefined || request.actAsManagedOnly === true || choiceFor(visit, visit.session, request.key) !== undefined)

function problemIn(visit: Visit, error: unknown): Problem {
  const { language } = visit
  const words = authorizeWords[language]
  return problemOf(visit, error, {
    'invalid-consent-grant': ({ data }) => {
      const { reason, invite } = data as { reason: GrantReason; invite?: string }
      const text = grantProblemText(reason, language)
      return invite === undefined ? text : words.ofConsent(invite, text)
    },
    'invalid-parameters': words.changed,
    'user-intervention-required': words.overLimits,
    'item-already-exists': ({ message }) => `${words.impossible} (${message})`,
  })
}
