/**
 * Views of shared links in a browser. The token of an opened link is stored in an encrypted cookie of its own, so that addresses
 * contain only the id of the view, and several links in one browser do not mix.
 */
import { Failure } from '../../../store/model/failure.js'
import { info } from '../../api/accesses/info.js'
import { authenticate } from '../../auth/authenticate.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { recordRefused } from '../../dispatch/call.js'
import type { ViewCookie } from '../cookies.js'
import type { Session } from '../flow.js'
import type { OwnVisit, Visit } from '../page.js'
import { accountAt } from '../session.js'

/** A visit of the view of a shared link: every call uses the access of the link. */
export interface SharedVisit extends OwnVisit {
  viewId: string
}

/** Reason why a view cannot be shown: its link is not open in this browser, or has ended. */
export type ViewProblem = 'notOpen' | 'ended'

interface StoredView {
  /** Prefix of the account. */
  account: string
  token: string
}

const ID_LENGTH = 12
const ID = /^[\w-]{12}$/
/** Maximum number of links that are open in a browser; the first is forgotten. */
const MAX_VIEWS = 10

const cookieOf = (id: string): ViewCookie => `view-${id}`

/**
 * Creates the session of a link's access. A refused token is audited like that of a call.
 * @throws Failure `invalid-access-token`, `forbidden`
 */
export function openSession({ node, origin }: Visit, loaded: LoadedAccount, token: string): Session {
  const { account, user } = loaded
  try {
    return { loaded, account, user, caller: authenticate(node, loaded, token), signedInAt: 0 }
  } catch (error) {
    recordRefused(node, origin, loaded, info.id, token, error)
    throw error
  }
}

/** Stores the token of a link in the browser, until the browser is closed. Returns the id of the view. */
export function rememberView({ node, cookies }: Visit, { account }: LoadedAccount, token: string): string {
  const id = node.store.seal.digest(`view of ${token} for ${account.prefix}`).replace(/\W/g, '-').slice(0, ID_LENGTH)
  cookies.set(cookieOf(id), JSON.stringify({ account: account.prefix, token } satisfies StoredView))
  return id
}

/** Returns the visit of the view that the address names, or the reason why there is none. */
export async function sharedVisit<T extends Visit>(visit: T, id = visit.query.get('view') ?? ''): Promise<(T & SharedVisit) | ViewProblem> {
  const { node, cookies } = visit
  const stored = ID.test(id) ? cookies.get(cookieOf(id)) : undefined
  if (stored === undefined) return 'notOpen'
  const { account, token } = JSON.parse(stored) as StoredView
  const loaded = await accountAt(node, account)
  try {
    if (loaded === undefined) throw new Failure('invalid-access-token')
    const session = openSession(visit, loaded, token)
    forgetOldest(visit, id)
    return { ...visit, session, viewId: id }
  } catch (error) {
    if (!isEnded(error)) throw error
    return 'ended'
  }
}

/** Checks whether an error says that a token is unknown, withdrawn or expired. */
export const isEnded = (error: unknown): boolean => error instanceof Failure && ['invalid-access-token', 'forbidden'].includes(error.id)

/** Removes the oldest views, since all cookies together are limited. */
function forgetOldest({ cookies }: Visit, current: string): void {
  const others = cookies.views().filter((name) => name !== cookieOf(current))
  for (const name of others.slice(0, Math.max(0, others.length + 1 - MAX_VIEWS))) cookies.remove(name)
}
