/** @jsxImportSource hono/jsx */
/** Final page of an access request: the decision, the way back to the app, and how to revoke the access. */
import type { Child } from 'hono/jsx'
import { isDecided, type AccessRequest, type InviteOutcome } from '../../../store/model/accessRequest.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { hasWebScheme } from '../../../store/model/urlScheme.js'
import { CONSENT_FAILED, CONSENT_REFUSED } from '../../api/accessRequests/invites.js'
import { answererOf } from '../acting/actingTarget.js'
import { actForWords } from '../acting/words.js'
import { linkTo } from '../links.js'
import type { Answer, Page, Visit } from '../page.js'
import { commonWords } from '../words.js'
import { AppHeadOf, requestOf } from './app.js'
import { GrantedRows, grantedBy } from './granted.js'
import { returnAddress } from './returnAddress.js'
import { BackLink, returnSchemes, unknownRequest, withoutRequest } from './unknown.js'
import { authorizeWords, type AuthorizeWords } from './words.js'

const PATH = '/done'

/**
 * Returns the page that follows a decision. Only the browser that decided is redirected to the app; others see a link,
 * because anyone can send people here with a request and a return address of their choice.
 */
export const donePath = (visit: Visit, key: string): string => linkTo(visit, PATH, { key, go: markOf(visit, key) })

const markOf = ({ node, formToken }: Visit, key: string): string => node.store.seal.digest(`decided ${key} with ${formToken}`)

/** Checks whether this browser answered the request and was redirected here. */
const isDecider = (visit: Visit, key = ''): boolean => constantTimeEqual(visit.query.get('go') ?? '', markOf(visit, key))

export const donePage: Page = {
  path: PATH,
  async show(visit) {
    const request = await requestOf(visit)
    if (request === undefined) return { ...unknownRequest(visit), ...(isDecider(visit, visit.flow.key) ? { status: 200 } : {}) }
    if (!isDecided(request)) return { redirect: linkTo(visit, '/authorize') }
    return outcomePage(visit, request)
  },
}

async function outcomePage(visit: Visit, request: AccessRequest): Promise<Answer> {
  const words = authorizeWords[visit.language]
  const back = returnAddress(request, returnSchemes(visit.node))
  // Links to an app on the device need a click.
  const isRedirected = back !== undefined && hasWebScheme(back) && isDecider(visit, request.key)
  const { title, text } = await outcomeIn(visit, request)
  const body = (
    <>
      <AppHeadOf visit={visit} id={request.requestingAppId} />
      {text}
      {back === undefined ? (
        <p data-close="yes">{commonWords[visit.language].close}</p>
      ) : (
        <div class="buttons">
          <BackLink visit={visit} address={back} goes={isRedirected} />
        </div>
      )}
    </>
  )
  return { title, body, ...(isRedirected ? { goesTo: back } : {}) }

  /**
   * Describes the decision: in detail to the account that decided, without naming that account to anyone else who
   * opens the address.
   */
  async function outcomeIn({ session }: Visit, { outcome }: AccessRequest): Promise<{ title: string; text: Child }> {
    if (outcome?.status === 'REFUSED') return { title: words.refusedTitle, text: <RefusedFor words={words} reasonId={outcome.reasonId} /> }
    if (outcome?.status !== 'ACCEPTED') return { title: words.failedTitle, text: <p>{words.failed}</p> }
    const { username } = outcome
    const answerer = await answererOf(visit, request, username)
    const access = answerer === undefined ? undefined : await grantedBy(visit, answerer, request, outcome)
    // Anyone who knows the key can send the app any account and token, so check with the account itself.
    if (answerer === undefined || access === undefined) return { title: words.answeredTitle, text: <p>{words.answered}</p> }
    const text = (
      <>
        <div class="done">
          <p>{words.granted(username)}</p>
        </div>
        <GrantedRows visit={visit} session={answerer} access={access} />
        <Consents words={words} outcomes={outcome.cmcInvites ?? []} />
        {session?.user.username === username ? (
          <p>
            {words.withdraw} <a href={linkTo(withoutRequest(visit), '/access')}>{words.withdrawLink}</a>
          </p>
        ) : (
          <p>{actForWords[visit.language].withdrawn(username)}</p>
        )}
      </>
    )
    return { title: words.grantedTitle, text }
  }
}

/** Renders a refusal, and its reason when it was a consent that the app requires. */
function RefusedFor({ words, reasonId }: { words: AuthorizeWords; reasonId: string }) {
  const why = reasonId === CONSENT_REFUSED ? words.consentRefused : reasonId === CONSENT_FAILED ? words.consentFailed : undefined
  return (
    <>
      {why === undefined ? null : <p>{why}</p>}
      <p>{words.refused}</p>
    </>
  )
}

/** Renders the outcome of the requested consents, without the declined ones. */
function Consents({ words, outcomes }: { words: AuthorizeWords; outcomes: readonly InviteOutcome[] }) {
  const given = outcomes.filter((each) => 'acceptEventId' in each).length
  const failed = outcomes.filter((each) => 'reason' in each).length
  return (
    <>
      {given === 0 ? null : <p>{words.consentsGiven(given)}</p>}
      {failed === 0 ? null : <p>{words.consentsNotGiven(failed)}</p>}
    </>
  )
}
