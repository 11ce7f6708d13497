/** @jsxImportSource hono/jsx */
/** The end of an access request: what was given or refused, the way back to the app, and where to take access back. */
import type { Child } from 'hono/jsx'
import { isDecided, type AccessRequest, type InviteOutcome } from '../../../store/model/accessRequest.js'
import { hasWebScheme } from '../../../store/model/urlScheme.js'
import { CONSENT_FAILED, CONSENT_REFUSED } from '../../accessRequest/invites.js'
import { answererOf } from '../acting/actingTarget.js'
import { actForWords } from '../acting/words.js'
import { constantTimeEqual } from '../../base/constantTimeEqual.js'
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
 * The page that a decision leads to. The browser that decided goes on to the app by itself; others are asked to: anybody
 * can make a request with an answer and an address of their choice, and send people here.
 */
export const donePath = (visit: Visit, key: string): string => linkTo(visit, PATH, { key, go: markOf(visit, key) })

const markOf = ({ node, formToken }: Visit, key: string): string => node.store.seal.digest(`decided ${key} with ${formToken}`)

/** Whether this very browser has answered the request, and was led here by that. */
const isDecider = (visit: Visit, key = ''): boolean => constantTimeEqual(visit.query.get('go') ?? '', markOf(visit, key))

export const donePage: Page = {
  path: PATH,
  show(visit) {
    const request = requestOf(visit)
    if (request === undefined) return { ...unknownRequest(visit), ...(isDecider(visit, visit.flow.key) ? { status: 200 } : {}) }
    if (!isDecided(request)) return { redirect: linkTo(visit, '/authorize') }
    return outcomeShown(visit, request)
  },
}

async function outcomeShown(visit: Visit, request: AccessRequest): Promise<Answer> {
  const words = authorizeWords[visit.language]
  const back = returnAddress(request, returnSchemes(visit.node))
  // To an app on the device people go by a click.
  const goes = back !== undefined && hasWebScheme(back) && isDecider(visit, request.key)
  const { title, says: text } = await outcomeIn(visit, request)
  const body = (
    <>
      <AppHeadOf visit={visit} id={request.requestingAppId} />
      {text}
      {back === undefined ? (
        <p data-close="yes">{commonWords[visit.language].close}</p>
      ) : (
        <div class="buttons">
          <BackLink visit={visit} address={back} goes={goes} />
        </div>
      )}
    </>
  )
  return { title, body, ...(goes ? { goesTo: back } : {}) }

  /** What was decided: to whoever answered, in detail; to others who have the address, not even for which account. */
  async function outcomeIn({ session }: Visit, { outcome }: AccessRequest): Promise<{ title: string; says: Child }> {
    if (outcome?.status === 'REFUSED') return { title: words.refusedTitle, says: <RefusedFor words={words} reasonId={outcome.reasonId} /> }
    if (outcome?.status !== 'ACCEPTED') return { title: words.failedTitle, says: <p>{words.failed}</p> }
    const { username } = outcome
    const answerer = await answererOf(visit, request, username)
    const access = answerer === undefined ? undefined : await grantedBy(visit, answerer, request, outcome)
    // Whoever knows the key can tell the app of any account and token: only the account itself knows what is true.
    if (answerer === undefined || access === undefined) return { title: words.answeredTitle, says: <p>{words.answered}</p> }
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
    return { title: words.grantedTitle, says: text }
  }
}

/** That nothing was given, and why, where that was for a consent that the app requires. */
function RefusedFor({ words, reasonId }: { words: AuthorizeWords; reasonId: string }) {
  const why = reasonId === CONSENT_REFUSED ? words.consentRefused : reasonId === CONSENT_FAILED ? words.consentFailed : undefined
  return (
    <>
      {why === undefined ? null : <p>{why}</p>}
      <p>{words.refused}</p>
    </>
  )
}

/** What became of the consents that the app asked for; those that were declined are not told to whoever declined them. */
function Consents({ words, outcomes }: { words: AuthorizeWords; outcomes: readonly InviteOutcome[] }) {
  const given = outcomes.filter((one) => 'acceptEventId' in one).length
  const failed = outcomes.filter((one) => 'reason' in one).length
  return (
    <>
      {given === 0 ? null : <p>{words.consentsGiven(given)}</p>}
      {failed === 0 ? null : <p>{words.consentsNotGiven(failed)}</p>}
    </>
  )
}
