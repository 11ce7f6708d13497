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

/** Pages that can be the target of a login. */
export type LoginTarget = 'access' | 'mfa'

/** The state of a person's flow across pages. It is carried in the addresses of pages. */
export interface Flow {
  /** Key of the access request being answered. */
  key?: string
  /** Signed state of the OAuth client that requests consent. */
  oauth?: string
  /** The page to show after a login that answers no request. */
  to?: LoginTarget
  /** The language in the query of the address. */
  lang?: string
}
