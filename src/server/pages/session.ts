/** The session of the signed-in user of the pages, and calls of API methods on the user's behalf. */
import { Failure } from '../../store/model/failure.js'
import { logout } from '../api/auth/logout.js'
import { readUser } from '../../store/accounts/users.js'
import { buildCall, callOpen, callPlatform, callToken, withTrail } from '../dispatch/call.js'
import { authenticate } from '../auth/authenticate.js'
import type { Call, OpenMethod, PlatformMethod, Result, TokenMethod } from '../call/method.js'
import { resultText } from '../call/results.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Context } from '../call/context.js'
import type { Cookies } from './cookies.js'
import type { Visit, PagesContext } from './page.js'
import type { Session } from './flow.js'

/** Content of the session cookie. */
interface StoredSession {
  /** Prefix of the account. */
  account: string
  token: string
  /** Time of the login, in seconds. */
  at?: number
}

/** Stores the session in the browser; the personal token is encrypted in the cookie. */
export function rememberSession({ cookies, node }: Pick<Visit, 'cookies' | 'node'>, account: string, token: string): void {
  cookies.set('session', JSON.stringify({ account, token, at: node.clock.now() } satisfies StoredSession))
}

/** Loads the account with a prefix. Returns undefined when it is deleted or has moved to another node. */
export async function accountAt(node: Context, prefix: string): Promise<LoadedAccount | undefined> {
  const user = readUser(node.store.db, prefix)
  const loaded = user === undefined ? undefined : await node.accounts.find(user.username)
  return loaded?.user.relocated === undefined ? loaded : undefined
}

/** Returns the live session of a browser; undefined when no one is signed in or the session has ended. */
export async function sessionIn(node: Context, cookies: Cookies): Promise<Session | undefined> {
  const stored = cookies.get('session')
  if (stored === undefined) return undefined
  const { account: prefix, token, at: signedInAt = 0 } = JSON.parse(stored) as StoredSession
  const loaded = await accountAt(node, prefix)
  if (loaded === undefined) return undefined
  try {
    return { loaded, account: loaded.account, user: loaded.user, caller: authenticate(node, loaded, token), signedInAt }
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Builds a call on behalf of the signed-in user and begins its audit record for `method`. */
export function signedInCall({ node, origin }: Visit, session: Session, method: TokenMethod<PagesContext>): Call<PagesContext> {
  return withTrail(buildCall(node, origin, session.loaded, session.caller), method)
}

/**
 * Calls a method on behalf of the signed-in user.
 * @throws Failure of the method
 */
export async function callAsOwner(visit: Visit, session: Session, method: TokenMethod<PagesContext>, params: unknown): Promise<Result> {
  const settling = session.account.settledStructure()
  if (settling !== undefined) await settling
  return callToken(signedInCall(visit, session, method), method, params)
}

/** Ends the session of the signed-in user, here and in the browser. */
export async function endSession(visit: Visit, session: Session): Promise<void> {
  await callAsOwner(visit, session, logout, {})
  visit.cookies.remove('session')
}

/**
 * Calls a method of an account that needs no token.
 * @throws Failure of the method
 */
export function callAccount(visit: Visit, loaded: LoadedAccount, method: OpenMethod<PagesContext>, params: unknown): Promise<Result> {
  const { node, origin } = visit
  return callOpen({ node, origin, account: loaded.account, user: loaded.user }, method, params)
}

/**
 * Calls a method that takes the token of a login waiting for its second factor.
 * @throws Failure of the method
 */
export function callPending(
  { node, origin }: Visit,
  { account, user }: LoadedAccount,
  mfaToken: string,
  method: OpenMethod<PagesContext>,
  params: unknown,
): Promise<Result> {
  return callOpen({ node, origin, account, user, authorization: mfaToken }, method, params)
}

/**
 * Calls a method of the node.
 * @throws Failure of the method
 */
export function callNode({ node, origin }: Visit, method: PlatformMethod<PagesContext>, params: unknown): Promise<Result> {
  return callPlatform({ node, origin }, method, params)
}

/** Maximum number of items in a list that a page reads at once. */
const MAX_PAGE_ITEMS = 10_000

/**
 * Calls a method on behalf of the signed-in user and returns its result as plain JSON, lists included.
 * @throws Failure of the method; `too-many-results` for lists of more than 10,000 items
 */
export async function readAsOwner(visit: Visit, session: Session, method: TokenMethod<PagesContext>, params: unknown): Promise<Record<string, unknown>> {
  const result = await callAsOwner(visit, session, method, params)
  return JSON.parse(await resultText(result, MAX_PAGE_ITEMS)) as Record<string, unknown>
}
