/**
 * The method value: one call of the interface, whatever door it comes through. HTTP routes, batch, the control door
 * and the OpenAPI document are projections of the list of these values (methods.ts).
 */
import type * as z from 'zod'
import type { Account } from '../store/engine/account.js'
import type { User } from '../store/accounts/users.js'
import type { Failure, FailureId } from '../store/model/failure.js'
import type { AnswerReader } from './answers/answerReader.js'
import type { CallRecorder } from './audit/auditEntry.js'
import type { Caller } from './guard/authenticate.js'
import type { FreeForm } from './json/split.js'
import type { Node } from './node.js'
import type { Protocol } from './protocol.js'

export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** How query-string values become parameters (data supplement 1.6); what is not listed stays text. */
export type Coercion = Record<string, 'number' | 'boolean' | 'array'>

/** A proof of possession as it came, and the call that it must have been made for (consent supplement 4.8). */
export interface ShownProof {
  /** The `DPoP` header; of several headers, all of them in one. */
  proof: string
  method: string
  /** The address as the client used it: behind a trusted proxy, what that says. */
  url: string
}

/** What every call knows of where it comes from. */
export interface Origin {
  /** `Origin` header, else `Referer`. */
  from?: string
  /** Address of the client, taken from forwarding headers only behind a trusted proxy. */
  ip?: string
  transport: 'http' | 'batch' | 'socket' | 'control'
  /** The interface that the client uses, also around a batch: its name in records of calls (data supplement 13.1). */
  source: 'http' | 'hf' | 'socket.io' | 'control'
  /** The query string of the HTTP request. */
  query?: string
  /** The address by which clients reach this node, such as `http://127.0.0.1:3000`. */
  base: string
  /** The proof of possession that the request shows, with what it must be for. */
  proof?: ShownProof
  /** The client that waits for the answer, where one may leave. */
  reader?: AnswerReader
}

interface Context {
  node: Node
  origin: Origin
}

/** What a client showed where no access is asked for. */
export interface SentCredentials {
  /** The `Authorization` header, or a form's `_auth`, as sent: operator routes compare it with the admin key. */
  authorization?: string
  /** The `auth` query parameter. */
  queryAuth?: string
}

/** A call to the platform: no account. */
export interface PlatformCall extends Context, SentCredentials {
  /** The `Cookie` header, for methods of other protocols that ask for it. */
  cookie?: string
}

/** A call to an account without a token, such as a login. */
export interface OpenCall extends Context, SentCredentials {
  account: Account
  user: User
  /** The alias of an access by which the account was called, in place of its user name. */
  alias?: string
  /** The record of this call in the making; absent when it is not recorded. */
  trail?: CallRecorder
}

/** A file that came with a call. Its bytes are on disk, held until the call has ended. */
export interface Upload {
  fileName: string
  /** Media type as declared. */
  type: string
  size: number
  /** SHA-256 of the bytes, hexadecimal. */
  digest: string
  /** `<algorithm>-<Base64 digest>`, as far as integrity of attachments is on. */
  integrity?: string
}

/** A call to an account by an access. */
export interface Call extends OpenCall {
  caller: Caller
  /** What tracking fields record: the access id, and the caller id when one was sent. */
  author: string
  /** What the client said to be calling for: it follows the token in `Authorization`. */
  callerId?: string
  /** Files that came with the call, in their order; none when it was made without. */
  uploads?: readonly Upload[]
  /** `account.rights` when the access was admitted; absent where no withdrawal can concern it (the control door). */
  rights?: number
}

interface Shape<I extends z.ZodType> {
  id: string
  /** The setting that the method is there by; without it, it always is. */
  switchedBy?: 'delegation.active' | 'metrics.active' | 'sso.enabled'
  /** One line for documents and help. */
  summary: string
  /** Route below the account's root, or below the node's for platform methods; `:name` is a path parameter. */
  http: { verb: Verb; path: string; aliases?: string[] }
  input: I
  /**
   * Whether parameters are plainly what `input` accepts and leaves as they are: told faster than by a schema, where that
   * is felt. Never true for others; false says nothing.
   */
  isPlain?(request: unknown): request is z.output<I>
  output: z.ZodType
  query?: Coercion
  /**
   * The parameter that the body is: `update` for updates, which are `{ id, update }` in a batch, `data` for points of
   * series. Else the members of the body are parameters.
   */
  body?: 'update' | 'data'
  /** The status that HTTP answers a result with, be it by what the result holds; 204 is an answer without a body. */
  status?: Status | ((result: Result) => Status)
  /** Those that a function of the result may give, for documents; 200 and 302 without. */
  statuses?: readonly Status[]
  /** Only for the operator: over HTTP the raw admin key must be in `Authorization`, else the answer is 404, or 403. */
  admin?: true | 'forbidden'
  /** The member `text` of the result is the whole answer over HTTP: as plain text, or as text of the named media type. */
  plain?: true | 'text/css' | 'text/html' | 'text/plain; version=0.0.4' | 'image/svg+xml'
  /** Seconds for which clients, and whatever is between, may keep the answer of HTTP: it is the same for everybody. */
  keep?: number
  /** The member of the result that holds an address to lead on to: HTTP answers 302 with it as `Location`. */
  redirect?: string
  /** The result is a document of a form of its own, always or by what it holds: HTTP answers it without `meta`. */
  document?: true | ((result: Result) => boolean)
  /**
   * Takes files: in a multipart body over HTTP, by path at the control door. `with-item`: exactly one other part, with
   * the item as JSON; `alone`: other parts mean nothing.
   */
  takesFiles?: 'with-item' | 'alone'
  /** The member `file` of the result is a FileResult, whose bytes HTTP answers with; nothing without one. */
  answersFile?: true
  /** Over HTTP a `readToken` of the query authorizes, in place of the `auth` that other methods take. */
  byReadToken?: true
  /** What a body of another type than JSON is refused with, forms included, in place of being taken for none. */
  jsonOnly?: 'unsupported-content-type' | 'invalid-request-structure'
  /** The id under which calls of an access are counted and recorded, where that is another than the method's own. */
  recordedAs?: string
  /** The name of the interface in records of calls over HTTP: that of series is one of its own. */
  source?: 'hf'
  /** What all calls are refused with, before anything else is asked, while the operator has the feature switched off. */
  unavailable?(node: Node): Failure | undefined
  fails: FailureId[]
  /** Members that are only stored: in large bodies their values come as JsonText (store/model/jsonText.ts). */
  freeForm?: FreeForm
  /**
   * Most bytes of its body for a method without a token, where that is more than `limits.json.maxSizeWithoutTokenKb`
   * grants to anonymous callers.
   */
  bodyLimit?(node: Node): number
  /** Most items of the input, where that is a list whose bound is a setting: checked before any of them. */
  maxItems?(node: Node): number
  /** Not callable inside a batch: it takes credentials instead of a token, or is the batch itself. */
  alone?: true
  /**
   * For methods without a token: the pseudo access id under which their calls are recorded (accounts supplement 0.5).
   * Without it they are not. Of calls to an account only the successful ones are.
   */
  auditedAs?: string
  /** Stages synchronously: calls of a batch need not wait for each other's commit. */
  staging?: true
}

/**
 * Statuses of results. 302 without `redirect` leads nowhere: it tells clients that a second step follows. 403 is a
 * refusal by a person, which is what the client asked to be told.
 */
export type Status = 200 | 201 | 204 | 302 | 403

export type Result = Record<string, unknown>

interface Runs<C, I extends z.ZodType> {
  run(call: C, input: z.output<I>): Promise<Result> | Result
}

export interface PlatformMethod<I extends z.ZodType = z.ZodType> extends Shape<I>, Runs<PlatformCall, I> {
  scope: 'platform'
  /** The method speaks a protocol of its own: its result is an Answer, which HTTP gives as it is. */
  protocol?: Protocol
}
export interface OpenMethod<I extends z.ZodType = z.ZodType> extends Shape<I>, Runs<OpenCall, I> {
  scope: 'account'
  /** The failure of a call to an account that there is none of; one with its name without. */
  absentAccount?(): Failure
}
export interface TokenMethod<I extends z.ZodType = z.ZodType> extends Shape<I>, Runs<Call, I> {
  scope: 'token'
  /** The failure of a call that shows no token; `invalid-access-token` without. */
  absentToken?(): Failure
  /** The failure of a call by an access that has expired; `forbidden` without. */
  expiredToken?(): Failure
  /** Refuses, by the parameters of the path, what can be refused before files are taken in. */
  refuseEarly?(call: Call, path: Readonly<Record<string, string>>): void
}

export type Method = PlatformMethod | OpenMethod | TokenMethod

// The list of methods holds methods of different inputs: `run` is only reached through `input`, which made its value.

/** A method of the node itself. */
export const platformMethod = <I extends z.ZodType>(m: Omit<PlatformMethod<I>, 'scope'>): PlatformMethod =>
  ({ ...m, scope: 'platform' }) as unknown as PlatformMethod

/** A method of an account that needs no token. */
export const openMethod = <I extends z.ZodType>(m: Omit<OpenMethod<I>, 'scope'>): OpenMethod =>
  ({ ...m, scope: 'account' }) as unknown as OpenMethod

/** A method of an account, called by an access. */
export const method = <I extends z.ZodType>(m: Omit<TokenMethod<I>, 'scope'>): TokenMethod =>
  ({ ...m, scope: 'token' }) as unknown as TokenMethod

/** Whether a node has a method, by its settings. */
export const isOn = ({ config }: Pick<Node, 'config'>, { switchedBy }: Method): boolean =>
  switchedBy === undefined || config.get(switchedBy)
