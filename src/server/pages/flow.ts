/** State of a person across pages: the session, and the flow carried in addresses. */
import type { Account } from '../../store/engine/account.js'
import type { User } from '../../store/accounts/users.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Authenticated } from '../call/caller.js'

/** The signed-in user of the pages: the owner of an account, with a personal access of the pages' own. */
export interface Session {
  loaded: LoadedAccount
  account: Account
  user: User
  caller: Authenticated
  /** Time of the login, in seconds. */
  signedInAt: number
}

/** Names of the pages that `coffer open` opens. */
export type LoginTarget = 'overview' | 'access' | 'mfa'

/** The state of a person's flow across pages. It is carried in the addresses of pages. */
export interface Flow {
  /** Key of the access request being answered. */
  key?: string
  /** Signed state of the OAuth client that requests consent. */
  oauth?: string
  /** Path, with query, of the page to show after a login that answers no request. */
  to?: string
  /** User name of the account that the console shows, when it is not that of the signed-in user. */
  as?: string
  /** The language in the query of the address. */
  lang?: string
}
