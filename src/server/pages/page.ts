/** Types of the pages: a page is a path under `/web/`, a function that shows it, and one that handles its forms. */
import type { Child } from 'hono/jsx'
import type { Account } from '../../store/engine/account.js'
import type { User } from '../../store/accounts/users.js'
import type { Authenticated } from '../guard/authenticate.js'
import type { Origin } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'
import type { Language } from '../base/words.js'
import type { Cookies } from './cookies.js'

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
export type Aim = 'access' | 'mfa'

/** The state of a person's flow across pages. It is carried in the addresses of pages. */
export interface Flow {
  /** Key of the access request being answered. */
  key?: string
  /** Signed state of the OAuth client that requests consent. */
  oauth?: string
  /** The page to show after a login that answers no request. */
  to?: Aim
  /** The language in the query of the address. */
  lang?: string
}

/** A request for a page. */
export interface Visit {
  node: Node
  origin: Origin
  /** True for HEAD requests, which must change nothing. */
  isHead: boolean
  language: Language
  /** Parameters of the address. */
  query: URLSearchParams
  flow: Flow
  cookies: Cookies
  session?: Session
  /** CSRF token that each form must send back; it binds the form to this node and this browser. */
  formToken: string
}

/** A submitted form, checked to come from a page of this node. */
export interface Sent extends Visit {
  form: URLSearchParams
}

/** A page to show. */
export interface Shown {
  title: string
  body: Child
  /** HTTP status; 200 by default. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** An http(s) address to which the browser is redirected by a refresh. */
  goesTo?: string
  /** True for pages with tables, which are wider than a form. */
  isWide?: boolean
}

/** The answer of a page: its content, or the address to redirect to. */
export type Answer = Shown | { redirect: string }

export interface Page {
  /** Path below the root of the pages: `/sign-in`. */
  path: string
  /** Set for pages that require a login; others are redirected to sign in first, and then to this aim. */
  owner?: Aim
  /**
   * True for pages of people who are about to sign in. Their forms do not act for the signed-in user, so they stay
   * valid when a second click or another window signs in meanwhile.
   */
  isBeforeSignIn?: true
  show(visit: Visit): Answer | Promise<Answer>
  /** Handles the form of the page; absent for pages without a form. */
  take?(sent: Sent): Answer | Promise<Answer>
}

/** A page that requires the signed-in owner of an account. */
export interface OwnerPage extends Omit<Page, 'show' | 'take'> {
  owner: Aim
  show(visit: Visit & { session: Session }): Answer | Promise<Answer>
  take?(sent: Sent & { session: Session }): Answer | Promise<Answer>
}

/** Converts an owner page to a page of the list; the router guarantees the session. */
export const ownerPage = (page: OwnerPage): Page => page as unknown as Page
