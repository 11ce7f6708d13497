/** Builds the visit of a request for a page: session, language, flow and form protection. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { constantTimeEqual } from '../../store/model/constantTimeEqual.js'
import { clientOrigin } from '../auth/origin.js'
import { languageOf } from '../base/language.js'
import { parseCookies } from '../base/parseCookies.js'
import { languageAmong } from '../base/words.js'
import { cookiesOf } from './cookies.js'
import { FORM_TOKEN } from './layout.js'
import { flowOf } from './links.js'
import type { Page, Visit, PagesContext } from './page.js'
import { sessionIn } from './session.js'
import { timeZoneOf } from './times.js'

const MARK_BYTES = 18
const MAX_WAIT_SECONDS = 10
/** Cookie with the time zone, which the script of the pages sets. */
const ZONE_COOKIE = 'coffer_zone'

/** Builds the visit of a request. `query` is that of the address, without the question mark. */
export async function visitOf(node: PagesContext, page: Pick<Page, 'isBeforeSignIn'>, request: IncomingMessage, query: string): Promise<Visit> {
  const { headers } = request
  const cookies = cookiesOf(node, headers.cookie)
  const parameters = new URLSearchParams(query)
  const flow = flowOf(parameters)
  const session = await sessionIn(node, cookies)
  // The pages of the node make these calls, so their origin is trusted, whatever host name the browser uses.
  const origin = { ...clientOrigin(node, request), from: new URL(node.publicBase()).origin }
  const userLanguage = session === undefined ? undefined : languageOf(session.account)
  const acceptedLanguages = (headers['accept-language'] ?? '').split(',').map((part) => part.trim())
  const language = languageAmong([flow.lang, userLanguage, ...acceptedLanguages])
  const timeZone = timeZoneOf(parseCookies(headers.cookie).get(ZONE_COOKIE))
  let mark = cookies.get('form')
  if (mark === undefined) {
    mark = randomBytes(MARK_BYTES).toString('base64url')
    cookies.set('form', mark)
  }
  // Bind the owner's forms to the session: setting cookies from another port of the host does not suffice to forge one.
  const holder = page.isBeforeSignIn === true ? undefined : session?.caller.token.reveal()
  const formToken = node.store.seal.digest(`form of ${mark} for ${holder ?? 'anybody'}`)
  const isHead = request.method === 'HEAD'
  const range = { range: headers.range, 'if-range': headers['if-range'] }
  const visit: Visit = { node, origin, isHead, language, timeZone, query: parameters, flow, cookies, formToken, range }
  if (session !== undefined) visit.session = session
  const waitMs = waitOf(headers['prefer'])
  if (waitMs !== undefined) visit.waitMs = waitMs
  if (headers.authorization !== undefined) visit.authorization = headers.authorization
  return visit
}

/** Reads the preference of a request to wait some seconds (RFC 7240, 4.3), in milliseconds. */
function waitOf(prefer: string | string[] | undefined): number | undefined {
  const [, seconds] = /\bwait=(\d{1,3})\b/.exec(String(prefer)) ?? []
  return seconds === undefined ? undefined : Math.min(Number(seconds), MAX_WAIT_SECONDS) * 1000
}

/** Checks that a form was sent from a page of this node, by the browser it was shown to. */
export function isOurForm(visit: Visit, request: IncomingMessage, form: URLSearchParams): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return constantTimeEqual(form.get(FORM_TOKEN) ?? '', visit.formToken)
}
