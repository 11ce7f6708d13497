/** What a page of the node is: a path under `/web/`, what it shows, and what its forms do. */
import type { Child } from 'hono/jsx'
import type { Account } from '../../store/engine/account.js'
import type { User } from '../../store/accounts/users.js'
import type { Authenticated } from '../guard/authenticate.js'
import type { Origin } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'
import type { Language } from '../base/words.js'
import type { Cookies } from './cookies.js'

/** Who is signed in to the pages: an account's owner, by a personal access of the pages' own. */
export interface Session {
  loaded: LoadedAccount
  account: Account
  user: User
  caller: Authenticated
  /** When the person signed in, in seconds. */
  signedInAt: number
}

/** Pages that a person can be on the way to while signing in. */
export type Aim = 'access' | 'mfa'

/** What a person is doing across pages. It travels in the addresses of pages. */
export interface Flow {
  /** Key of the access request that is being answered. */
  key?: string
  /** The signed state of the OAuth client that asks for consent. */
  oauth?: string
  /** Where to go once signed in, without a request. */
  to?: Aim
  /** The language asked for by address. */
  lang?: string
}

/** One request for a page. */
export interface Visit {
  node: Node
  origin: Origin
  /** Whether only the head of the answer is asked for, which must change nothing. */
  isHead: boolean
  language: Language
  /** Parameters of the address. */
  query: URLSearchParams
  flow: Flow
  cookies: Cookies
  session?: Session
  /** What each form must bring back: it shows that the form came from this node, to this browser. */
  formToken: string
}

/** A form that was sent, and is known to come from one of our own pages. */
export interface Sent extends Visit {
  form: URLSearchParams
}

/** A page to show. */
export interface Shown {
  title: string
  body: Child
  /** 200 unless given. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** An http(s) address that the browser goes on to by itself. */
  goesTo?: string
  /** For tables: wider than a form. */
  isWide?: boolean
}

/** What a page answers: itself, or the address of the page to go to. */
export type Answer = Shown | { redirect: string }

export interface Page {
  /** Below the pages' root: `/sign-in`. */
  path: string
  /** Only for somebody signed in; others are led to sign in first, and then to this aim. */
  owner?: Aim
  /**
   * For people who are about to sign in: its forms do nothing in the name of whoever is signed in, and stay good when a
   * second click or another window has signed somebody in meanwhile.
   */
  isBeforeSignIn?: true
  show(visit: Visit): Answer | Promise<Answer>
  /** What its forms do; without it, the page takes none. */
  take?(sent: Sent): Answer | Promise<Answer>
}

/** A page that is only for the signed-in owner of an account. */
export interface OwnerPage extends Omit<Page, 'show' | 'take'> {
  owner: Aim
  show(visit: Visit & { session: Session }): Answer | Promise<Answer>
  take?(sent: Sent & { session: Session }): Answer | Promise<Answer>
}

/** Makes a page of the list out of one that needs its owner: the router sees to it that there is one. */
export const ownerPage = (page: OwnerPage): Page => page as unknown as Page
