/** What a request for a page brings: who is signed in, in which language, doing what, and whether a form is ours. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientOrigin } from '../guard/origin.js'
import { languageOf } from '../base/language.js'
import type { Node } from '../node.js'
import { languageAmong } from '../base/words.js'
import { constantTimeEqual } from '../base/constantTimeEqual.js'
import { cookiesOf } from './cookies.js'
import { FORM_TOKEN } from './layout.js'
import { flowOf } from './links.js'
import type { Page, Visit } from './page.js'
import { sessionIn } from './session.js'

const MARK_BYTES = 18

/** The visit of a request to a page. `query` is that of its address, without the question mark. */
export async function visitOf(node: Node, page: Pick<Page, 'isBeforeSignIn'>, request: IncomingMessage, query: string): Promise<Visit> {
  const { headers } = request
  const cookies = cookiesOf(node, headers.cookie)
  const parameters = new URLSearchParams(query)
  const flow = flowOf(parameters)
  const session = await sessionIn(node, cookies)
  // Methods are called by the node's own pages: wherever the browser found them, that is an app the node trusts.
  const origin = { ...clientOrigin(node, request), from: new URL(node.publicBase()).origin }
  const known = session === undefined ? undefined : languageOf(session.account)
  const spoken = (headers['accept-language'] ?? '').split(',').map((part) => part.trim())
  const language = languageAmong([flow.lang, known, ...spoken])
  let mark = cookies.get('form')
  if (mark === undefined) {
    mark = randomBytes(MARK_BYTES).toString('base64url')
    cookies.set('form', mark)
  }
  // Forms of the owner are bound to the session: who only sets cookies, from another port of the host, makes none.
  const holder = page.isBeforeSignIn === true ? undefined : session?.caller.token.reveal()
  const formToken = node.store.seal.digest(`form of ${mark} for ${holder ?? 'anybody'}`)
  const isHead = request.method === 'HEAD'
  const visit: Visit = { node, origin, isHead, language, query: parameters, flow, cookies, formToken }
  if (session !== undefined) visit.session = session
  return visit
}

/** Whether a form was sent from one of our pages, by the browser that we showed it to. */
export function isOurForm(visit: Visit, request: IncomingMessage, form: URLSearchParams): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return constantTimeEqual(form.get(FORM_TOKEN) ?? '', visit.formToken)
}
