/** @jsxImportSource hono/jsx */
/**
 * Page of an account address, shown to browsers (`GET /{username}/`). With `shared`, it opens the view of the link whose token the
 * request contains. Browsers send the user information of an address (`https://<token>@host/name/`) only when challenged, so that it
 * asks for Basic authentication; the script of the pages does so by itself when the address has a token. The view has an address of
 * its own, without the token.
 */
import { credentialsOf } from '../../auth/authenticate.js'
import { pageAddress } from '../../config/apiEndpoint.js'
import { info } from '../../api/accesses/info.js'
import { resolveAccount } from '../../dispatch/call.js'
import { linkTo } from '../links.js'
import type { Answer, Page, Visit } from '../page.js'
import { callAsOwner } from '../session.js'
import { SHARED_PATH } from './sharedFrame.js'
import { isEnded, openSession, rememberView } from './views.js'
import { sharedLinkWords } from './words.js'

/** Parameter of an address with a token, as calls accept it. */
const AUTH = 'auth'

export const sharedLinkPage: Page = {
  path: '/account',
  async show(visit) {
    const { node, query, authorization, isHead } = visit
    const username = query.get('username') ?? ''
    const auth = query.get(AUTH) ?? undefined
    // The page links to itself in other languages.
    query.delete(AUTH)
    const loaded = await resolveAccount(node, { username, path: '/', query: '' })
    const credentials = credentialsOf(authorization, auth)
    if (credentials === undefined) return query.has('shared') ? missingTokenView(visit, username) : accountView(visit, username)
    try {
      // Counts and records the use, as for every call of the access.
      await callAsOwner(visit, openSession(visit, loaded, credentials.token), info, {})
      const view = isHead ? '' : rememberView(visit, loaded, credentials.token)
      return { redirect: linkTo(visit, SHARED_PATH, { view }) }
    } catch (error) {
      if (isEnded(error)) return goneView(visit, username)
      throw error
    }
  },
}

function accountView(visit: Visit, username: string): Answer {
  const words = sharedLinkWords[visit.language]
  const body = (
    <>
      <p>{words.account}</p>
      <h2>{words.hasLink}</h2>
      <p>{words.hasLinkText}</p>
      <p class="buttons">
        <a class="button" href="?shared=1" data-link="yes">
          {words.show}
        </a>
      </p>
      <h2>{words.isOwner}</h2>
      <p class="buttons">
        <a class="button second" href={`${pageAddress(visit.node, '/sign-in')}?username=${encodeURIComponent(username)}`}>
          {words.signIn}
        </a>
      </p>
      <p class="small soft">
        <a href={pageAddress(visit.node, '/api')}>{words.reference}</a>
      </p>
    </>
  )
  return { title: words.accountTitle(username), body }
}

function missingTokenView(visit: Visit, username: string): Answer {
  const words = sharedLinkWords[visit.language]
  const body = (
    <>
      <p>{words.withoutKey}</p>
      <p class="buttons">
        <a class="button second" href={pageAddress(visit.node, '/sign-in')}>
          {words.signIn}
        </a>
      </p>
    </>
  )
  return { title: words.accountTitle(username), body, status: 401, headers: { 'WWW-Authenticate': 'Basic realm="coffer link", charset="UTF-8"' } }
}

function goneView(visit: Visit, username: string): Answer {
  const words = sharedLinkWords[visit.language]
  return { title: words.goneTitle, body: <p>{words.gone(username)}</p>, status: 403 }
}
