/** Types of the pages: a page is a path under `/web/`, a function that shows it, and one that handles its forms. */
import type { Child } from 'hono/jsx'
import type { ReceivedFile } from '../dispatch/uploads.js'
import type { RangeHeaders } from '../http/sendFile.js'
import type { Asset } from './assets.js'
import type { Origin } from '../call/method.js'
import type { Node } from '../index.js'
import type { Language } from '../base/words.js'
import type { Cookies } from './cookies.js'
import type { Session, Flow } from './flow.js'

/** Services of pages: those of the node, whose methods of most features they call. */
export type PagesContext = Node

/** A request for a page. */
export interface Visit {
  node: PagesContext
  origin: Origin
  /** Time in milliseconds that the browser waits for values that take longer; absent for the usual. */
  waitMs?: number
  /** True for HEAD requests, which must change nothing. */
  isHead: boolean
  language: Language
  /** Time zone of the browser, as its script reported it; UTC before. */
  timeZone: string
  /** Parameters of the address. */
  query: URLSearchParams
  flow: Flow
  cookies: Cookies
  session?: Session
  /** The `Authorization` header; absent without one. */
  authorization?: string
  /** Requested range of a file. */
  range: RangeHeaders
  /** CSRF token that each form must send back; it binds the form to this node and this browser. */
  formToken: string
}

/** A submitted form, checked to come from a page of this node. */
export interface FormVisit extends Visit {
  form: URLSearchParams
  /** Received files of a form with files (`beforeUpload`); those that no event refers to are removed after the answer. */
  files: readonly ReceivedFile[]
}

/** A page to show. */
export interface PageContent {
  title: string
  body: Child
  /** HTTP status; 200 by default. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** An http(s) address to which the browser is redirected by a refresh. */
  goesTo?: string
  /** True for pages with tables, which are wider than a form. */
  isWide?: boolean
  /** Renders the body of the document around the content; by default that of a single form. */
  frame?: (content: PageContent, languages: Child) => Child
  /** Style sheets and scripts besides those of all pages. */
  assets?: readonly Asset[]
}

/** The answer of a page: its content, the address to redirect to, or a response of another kind (files, data). */
export type Answer = PageContent | { redirect: string } | { response: Response }

export interface Page {
  /** Path below the root of the pages: `/sign-in`. */
  path: string
  /** True for pages that require a login. Visitors without a session sign in first, and then get to the page. */
  isOwned?: true
  /**
   * True for pages that are used before signing in. Their forms do not act for the signed-in user, so they stay valid
   * when a second click or another window signs in meanwhile.
   */
  isBeforeSignIn?: true
  show: (visit: Visit) => Answer | Promise<Answer>
  /** Handles the form of the page; absent for pages without a form. */
  submit?: (submission: FormVisit) => Answer | Promise<Answer>
  /** Maximum size of the form in megabytes; 0.0625 by default. */
  maxFormMb?: number
  /**
   * Present for pages whose form may have files (multipart/form-data). Called before the body is read; an answer refuses the upload.
   */
  beforeUpload?: (visit: Visit) => Promise<Answer | undefined>
}

/** A visit of the signed-in owner of an account. */
export type OwnVisit = Visit & { session: Session }

/** A form that the signed-in owner of an account submitted. */
export type OwnFormVisit = OwnVisit & FormVisit

/** A page that requires the signed-in owner of an account. */
interface OwnerPage extends Omit<Page, 'show' | 'submit' | 'beforeUpload' | 'isOwned'> {
  show: (visit: Visit & { session: Session }) => Answer | Promise<Answer>
  beforeUpload?: (visit: Visit & { session: Session }) => Promise<Answer | undefined>
  submit?: (submission: FormVisit & { session: Session }) => Answer | Promise<Answer>
}

/** Converts an owner page to a page of the list; the router guarantees the session. */
export const ownerPage = (page: OwnerPage): Page => ({ ...(page as unknown as Page), isOwned: true })
