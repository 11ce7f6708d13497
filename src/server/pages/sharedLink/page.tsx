/** @jsxImportSource hono/jsx */
/**
 * Page of an account address, shown to browsers (`GET /{username}/`). With `shared`, it describes what the token in the link opens.
 * Browsers send the user information of an address (`https://<token>@host/name/`) only when challenged, so that view asks for
 * Basic authentication; the script of the pages opens it by itself when the address has a token.
 */
import { Failure } from '../../../store/model/failure.js'
import type { Access } from '../../../store/model/access.js'
import { credentialsOf, authenticate } from '../../auth/authenticate.js'
import { isLoopbackUrl } from '../../base/loopback.js'
import { pageAddress } from '../../config/apiEndpoint.js'
import { info } from '../../api/accesses/info.js'
import { sanitiseText } from '../../api/accessRequests/consentWords.js'
import { resolveAccount } from '../../dispatch/call.js'
import { permissionLines } from '../access/grantedAccesses.js'
import { distance, machineTime, timeText } from '../times.js'
import type { Session } from '../flow.js'
import type { Answer, Page, Visit } from '../page.js'
import { callAsOwner } from '../session.js'
import { sharedLinkWords } from './words.js'

const MAX_NAME = 80

export const sharedLinkPage: Page = {
  path: '/account',
  async show(visit) {
    const username = visit.query.get('username') ?? ''
    const loaded = await resolveAccount(visit.node, { username, path: '/', query: '' })
    if (!visit.query.has('shared')) return accountView(visit, username)
    const credentials = credentialsOf(visit.authorization, undefined)
    if (credentials === undefined) return missingTokenView(visit, username)
    try {
      const caller = authenticate(visit.node, loaded, credentials.token)
      const session: Session = { loaded, account: loaded.account, user: loaded.user, caller, signedInAt: 0 }
      // Counts and records the use, as for every call of the access.
      await callAsOwner(visit, session, info, {})
      return linkView({ ...visit, session }, username, caller.access)
    } catch (error) {
      if (error instanceof Failure && ['invalid-access-token', 'forbidden'].includes(error.id)) return goneView(visit, username)
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

function linkView(visit: Visit & { session: Session }, username: string, access: Access): Answer {
  const { language, node } = visit
  const words = sharedLinkWords[language]
  const { name, permissions = [], expires } = access
  const lines = access.type === 'personal' ? [{ text: words.everything }] : permissionLines(visit, permissions)
  const body = (
    <>
      {isLoopbackUrl(node.publicBase()) ? (
        <div class="note">
          <p>{words.loopback}</p>
        </div>
      ) : null}
      <dl class="facts">
        <dt>{words.forWhom}</dt>
        <dd class="name">{sanitiseText(name.slice(0, MAX_NAME))}</dd>
        <dt>{words.until}</dt>
        <dd>
          {expires === undefined ? (
            words.noEnd
          ) : (
            <>
              <time datetime={machineTime(expires)}>{timeText(expires, visit)}</time> ({distance(expires, node.clock.now(), language)})
            </>
          )}
        </dd>
      </dl>
      <h2>{words.opens}</h2>
      {lines.length === 0 ? (
        <p>{words.nothing}</p>
      ) : (
        <ul class="rows">
          {lines.map(({ text, streamId }: { text: string; streamId?: string }) => (
            <li>
              {text}
              {streamId === undefined ? null : <span class="small soft"> {streamId}</span>}
            </li>
          ))}
        </ul>
      )}
      <h2>{words.use}</h2>
      <p>{words.useText}</p>
      <p class="small soft">{words.secret}</p>
    </>
  )
  return { title: words.linkTitle(username), body, headers: { Vary: 'Authorization, Cookie, Accept-Language' } }
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
