/** @jsxImportSource hono/jsx */
/**
 * Consent page of OAuth clients (docs/interface/oauth.md#consent). The authorization endpoint redirects here with a signed state,
 * which stays in the addresses during sign-in; the node does not store it.
 */
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { buildCall } from '../../dispatch/call.js'
import { consentText } from '../../api/accessRequests/consentWords.js'
import type { Offer } from '../../api/accessRequests/offer.js'
import { readAuthorization, type Authorization } from '../../api/oauth/authorization.js'
import { findClient, type OAuthClient } from '../../api/oauth/clients.js'
import { selectedPermissions, completeConsent, offerOf } from '../../api/oauth/completeConsent.js'
import { OAuthError, type OAuthErrorName } from '../../api/oauth/errors.js'
import { CONSENT_PAGE, issuerOf } from '../../api/oauth/issuer.js'
import { refuseAuthorization } from '../../api/oauth/refuse.js'
import { Consent } from '../authorize/consent.js'
import { leave } from '../authorize/leave.js'
import { linkTo } from '../links.js'
import type { Answer, Page, FormVisit, Visit } from '../page.js'
import type { Session } from '../flow.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { offerOfClient } from './offerOfClient.js'
import { isSignedIn } from './freshLogin.js'
import { ContactRights, decidedPage, OfferTexts, placeOf, expiredPage } from './views.js'
import { oauthConsentWords } from './words.js'

interface ConsentVisit {
  authorization: Authorization
  client: OAuthClient
}

export const oauthConsentPage: Page = {
  path: CONSENT_PAGE,
  async show(visit) {
    const { node, query, flow, session } = visit
    const state = query.get('state')
    if (state !== null && flow.oauth === undefined) {
      if (query.get('pryvApi') !== issuerOf(node)) return expiredPage(visit)
      return { redirect: linkTo({ node, flow: { ...flow, oauth: state } }, CONSENT_PAGE) }
    }
    const consentVisit = await consentVisitOf(visit)
    if (consentVisit === undefined) return expiredPage(visit)
    const { userIdHint } = consentVisit.authorization
    if (session === undefined || !isSignedIn(visit)) {
      return { redirect: linkTo(visit, '/sign-in', userIdHint === undefined ? {} : { username: userIdHint }) }
    }
    return formOf(visit, session, consentVisit)
  },
  async submit(submission) {
    const consentVisit = await consentVisitOf(submission)
    if (consentVisit === undefined) return expiredPage(submission)
    const { node, origin, session, form } = submission
    if (form.get('do') === 'refuse') {
      const words = oauthConsentWords[submission.language]
      return decidedPage(submission, words.refusedTitle, words.refused, refuseAuthorization(node, origin, consentVisit.authorization))
    }
    if (session === undefined || !isSignedIn(submission)) return { redirect: linkTo(submission, '/sign-in') }
    if (form.get('do') === 'leave') return leave(submission, session)
    return accept(submission, session, consentVisit)
  },
}

/** Parses the state of a visit; undefined when it is invalid or expired. */
async function consentVisitOf({ node, flow }: Visit): Promise<ConsentVisit | undefined> {
  if (flow.oauth === undefined) return undefined
  try {
    const authorization = readAuthorization(node, flow.oauth)
    const client = await findClient(node, authorization.clientId)
    return client === undefined || authorization.offer === undefined ? undefined : { authorization, client }
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

async function accept(submission: FormVisit, session: Session, consentVisit: ConsentVisit): Promise<Answer> {
  const { node, origin, form, language } = submission
  const words = oauthConsentWords[language]
  const { authorization, client } = consentVisit
  const oauthOffer = offerOf(authorization)
  await session.account.settledStructure()
  const offer = offerOfClient(session, client, oauthOffer)
  const ticked = form.getAll('grant')
  if (form.get('do') !== 'accept' || !constantTimeEqual(form.get('shown') ?? '', markOf(submission, session, offer))) {
    return formOf(submission, session, consentVisit, problemWith(words.changed))
  }
  try {
    const chosen = offer.entries.filter(({ id, isLocked }) => isLocked || ticked.includes(id))
    const permissions = selectedPermissions(oauthOffer, chosen.map(({ permission }) => permission))
    const redirectTo = await completeConsent(buildCall(node, origin, session.loaded, session.caller), authorization, permissions)
    return decidedPage(submission, words.doneTitle, words.done, redirectTo)
  } catch (error) {
    return formOf(submission, session, consentVisit, problemIn(submission, error), ticked)
  }
}

function problemIn(visit: Visit, error: unknown): Problem {
  if (!(error instanceof OAuthError)) return problemOf(visit, error, {})
  const words = oauthConsentWords[visit.language]
  const texts: Partial<Record<OAuthErrorName, string>> = {
    access_denied: words.ownerOnly,
    invalid_grant: words.rejected,
    invalid_scope: words.incomplete,
  }
  return problemWith(texts[error.error] ?? words.failed)
}

/** Returns a digest of the offer, the account and the session; a form with another digest has no effect. */
function markOf({ node, formToken }: Visit, { account, caller }: Session, offer: Offer): string {
  const target = `${account.prefix} in ${caller.token.reveal()}`
  return node.store.seal.digest(`oauth consent shown with ${formToken} to ${target}: ${JSON.stringify(offer)}`)
}

async function formOf(
  visit: Visit,
  session: Session,
  { authorization, client }: ConsentVisit,
  problem?: Problem,
  ticked?: readonly string[],
): Promise<Answer> {
  const { language } = visit
  const words = oauthConsentWords[language]
  await session.account.settledStructure()
  const oauthOffer = offerOf(authorization)
  const offer = offerOfClient(session, client, oauthOffer)
  const text = consentText(offer, language)
  const body = (
    <Consent
      visit={visit}
      path={CONSENT_PAGE}
      text={{
        ...text,
        app: { ...text.app, note: words.registered(client.clientId) },
        notes: [...text.notes, words.leadsTo(placeOf(authorization.redirectUri))],
      }}
      icon={undefined}
      target={<OfferTexts visit={visit} username={session.user.username} offer={oauthOffer} />}
      ticked={new Set(ticked ?? offer.entries.filter(({ isTicked }) => isTicked).map(({ id }) => id))}
      problem={problem}
      more={<ContactRights visit={visit} offer={oauthOffer} />}
      hidden={{ shown: markOf(visit, session, offer) }}
    />
  )
  return { title: text.title, body, status: problem?.status ?? 200 }
}
