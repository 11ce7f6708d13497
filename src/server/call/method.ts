/**
 * A method is a value: id, declared callers, input, output, failures and `run`, independent of the transport. HTTP routes, batches,
 * the control interface, typed clients, the OpenAPI document and help derive from the list of methods (api/methods.ts).
 *
 * This folder holds what a method receives and returns: its call and caller, the services of the node (context.ts) and of its own
 * feature (`Deps`), large bodies as JSON text (json/), and results within a memory budget (results.ts, answers/). It imports no
 * feature. dispatch/ finds the account of a call, authorizes it and runs its method.
 */
import type * as z from 'zod'
import type { Account } from '../../store/engine/account.js'
import type { User } from '../../store/accounts/users.js'
import type { Failure, FailureId } from '../../store/model/failure.js'
import type { AnswerReader } from './answers/answerReader.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import type { Caller } from './caller.js'
import type { AccessCaller, OpenCaller } from './callers.js'
import type { FreeForm } from './json/split.js'
import type { Context } from './context.js'
import type { Protocol } from './protocol.js'

export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Coercion of query-string values (docs/interface/conventions.md#query-strings); others stay text. */
export type Coercion = Record<string, 'number' | 'boolean' | 'array'>

/** A DPoP proof as received, and the call for which it must have been created (docs/interface/oauth.md#dpop). */
export interface SentProof {
  /** The `DPoP` header; several headers are joined. */
  proof: string
  method: string
  /** The URL as the client used it, from forwarding headers behind a trusted proxy. */
  url: string
}

/** The origin of a call. */
export interface Origin {
  /** `Origin` header, otherwise `Referer`. */
  from?: string
  /** Address of the client, taken from forwarding headers only behind a trusted proxy. */
  ip?: string
  transport: 'http' | 'batch' | 'socket' | 'control'
  /** The name of the client's transport in audit records, also within a batch (docs/interface/audit.md#records). */
  source: 'http' | 'hf' | 'socket.io' | 'control'
  /** The query string of the HTTP request. */
  query?: string
  /** The address by which clients reach this node, such as `http://127.0.0.1:3000`. */
  base: string
  /** The DPoP proof of the request, and the call it must match. */
  proof?: SentProof
  /** The client that receives the answer, if it can disconnect. */
  reader?: AnswerReader
}

/** Members of every call. `D`: services that its method needs besides the context of the node. */
interface CallBase<D> {
  node: Context & D
  origin: Origin
}

/** Credentials of a request to a method without an access. */
export interface SentCredentials {
  /** The `Authorization` header, or a form's `_auth`, as sent: operator routes compare it with the admin key. */
  authorization?: string
  /** The `auth` query parameter. */
  queryAuth?: string
}

/** A call to the platform, without an account. */
export interface PlatformCall<D = unknown> extends CallBase<D>, SentCredentials {
  /** The `Cookie` header, for methods of other protocols that request it. */
  cookie?: string
  /** Id of the core of the platform that makes the call; such calls are not forwarded again. */
  fromCore?: string
}

/** A call to an account without a token, such as a login. */
export interface OpenCall<D = unknown> extends CallBase<D>, SentCredentials {
  account: Account
  user: User
  /** The alias by which the account was called instead of its username. */
  alias?: string
  /** The audit record of this call; absent when it is not recorded. */
  trail?: CallRecorder | undefined
}

/** A file sent with a call. Its bytes are on disk, and kept until the call ends. */
export interface Upload {
  fileName: string
  /** Media type as declared by the client. */
  type: string
  size: number
  /** SHA-256 of the bytes, hexadecimal. */
  digest: string
  /** `<algorithm>-<Base64 digest>`, if the integrity of attachments is enabled. */
  integrity?: string
}

/** A call to an account with an access. */
export interface Call<D = unknown> extends OpenCall<D> {
  caller: Caller
  /** The author in tracking fields: the access id, and the caller id when one was sent. */
  author: string
  /** The caller id sent by the client after the token in `Authorization`. */
  callerId?: string
  /** Files sent with the call, in their order; absent without files. */
  uploads?: readonly Upload[]
  /** `account.rights` when the access was admitted; absent when revocation does not apply (control interface). */
  rights?: number
}

/** HTTP transport of a method: route, parameters, and form of the answer. */
interface HttpRoute {
  verb: Verb
  /** Path below the root of an account, or of the node for platform methods; `:name` is a path parameter. */
  path: string
  aliases?: string[]
  query?: Coercion
  /**
   * The parameter that contains the body: `update` for updates, which are `{ id, update }` in a batch, `data` for points of
   * series.
   * Without it, the members of the body are parameters.
   */
  body?: 'update' | 'data'
  /** The failure for a body with a type other than JSON, including forms, which is otherwise ignored. */
  jsonOnly?: 'unsupported-content-type' | 'invalid-request-structure'
  /** Maximum body size in bytes of a method without a token, if larger than `limits.json.maxSizeWithoutTokenKb`. */
  bodyLimit?(node: Context): number
  /** A `readToken` in the query authorises the call, instead of the `auth` of other methods. */
  byReadToken?: true
  /** The name of the transport in audit records, for methods of series. */
  source?: 'hf'
  /** The status of a result, possibly dependent on its content; 204 is an answer without a body. */
  status?: Status | ((result: Result) => Status)
  /** The statuses that a function may return, for the documentation; 200 and 302 by default. */
  statuses?: readonly Status[]
  /** The member `text` of the result is the whole answer: as plain text, or with the given media type. */
  rawText?: true | 'text/css' | 'text/html' | 'text/plain; version=0.0.4' | 'image/svg+xml'
  /** The member `file` of the result is a FileResult, whose bytes are sent. */
  sendsFile?: true
  /** Seconds for which clients and proxies may cache the answer; it is the same for all callers. */
  cacheSeconds?: number
  /** The member of the result with the target of a redirect: the answer is 302 with it as `Location`. */
  redirect?: string
  /** The result has its own format, always or depending on its content: it is sent without `meta`. */
  withoutMeta?: true | ((result: Result) => boolean)
}

/** HTTP transport of a method of an account that needs no token. */
interface OpenHttpRoute extends HttpRoute {
  /** Returns the failure for an unknown account; by default, one with its name. */
  absentAccount?(): Failure
  /** For accounts of other cores, the route of the node with the same path answers: the answer is the same for all accounts. */
  isSameForAll?: true
}

/** HTTP transport of a method that requires an access. */
export interface TokenHttpRoute extends HttpRoute {
  /** Returns the failure for a missing token; `invalid-access-token` by default. */
  absentToken?(): Failure
  /** Returns the failure for an expired access; `forbidden` by default. */
  expiredToken?(): Failure
}

interface Shape<D, I extends z.ZodType, O extends z.ZodType, Id extends string> {
  id: Id
  /** Never set: keeps a method out of lists for a node that lacks what the method needs. */
  needs?: (node: D) => void
  /** The setting that enables the method; always enabled without it. */
  requiresSetting?: 'delegation.active' | 'metrics.active' | 'sso.enabled'
  /** One line for documentation and help. */
  summary: string
  http: HttpRoute
  input: I
  /**
   * Checks quickly whether parameters are accepted and left unchanged by `input`, for hot paths. May return false for valid
   * parameters, but never true for others.
   */
  isPlain?(request: unknown): request is z.output<I>
  /** Creates the schema of the result. Documentation, the command line and tests use it; a running node does not. */
  output(): O
  /**
   * Accepts files: in a multipart body over HTTP, by path over the control interface. `with-item`: exactly one other part, with the item
   * as JSON; `alone`: other parts are ignored.
   */
  takesFiles?: 'with-item' | 'alone'
  /** The id under which calls are counted and recorded, if different from the method's own. */
  recordedAs?: string
  /** Returns the failure of all calls while the operator has disabled the feature. */
  unavailable?(node: Context): Failure | undefined
  fails: FailureId[]
  /** Members that are stored without validation: in large bodies, their values are JsonText (store/model/jsonText.ts). */
  freeForm?: FreeForm
  /** Maximum number of items of a list input, if limited by a setting: checked before validation. */
  maxItems?(node: Context): number
  /** Not callable inside a batch: it takes credentials instead of a token, or is the batch itself. */
  notInBatch?: true
  /**
   * For methods without a token: the pseudo access id under which their calls are audited
   * (docs/interface/audit.md#calls-without-an-access). Without it, they are not audited. For calls to an account, only successful
   * ones are.
   */
  auditedAs?: string
  /** Stages its changes synchronously: calls of a batch need not wait for each other's commit. */
  synchronous?: true
}

/**
 * Statuses of results. 302 without `redirect` tells clients that a second step follows. 403 is a refusal by a user, reported as a
 * result.
 */
export type Status = 200 | 201 | 204 | 302 | 403

export type Result = Record<string, unknown>

interface Runs<C, I extends z.ZodType> {
  run(call: C, input: z.output<I>): Promise<Result> | Result
}

/** A method of the node itself. `D`: what it needs besides the context. */
export interface PlatformMethod<D = never, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, Id extends string = string>
  extends Shape<D, I, O, Id>, Runs<PlatformCall<D>, I> {
  scope: 'platform'
  caller: OpenCaller
  /** The protocol of the method, if it has its own: its result is an Answer, which HTTP sends unchanged. */
  protocol?: Protocol
}
/** A method of an account that needs no token. */
export interface OpenMethod<D = never, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, Id extends string = string>
  extends Shape<D, I, O, Id>, Runs<OpenCall<D>, I> {
  scope: 'account'
  caller: OpenCaller
  http: OpenHttpRoute
}
/** A method of an account that requires an access. */
export interface TokenMethod<D = never, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, Id extends string = string>
  extends Shape<D, I, O, Id>, Runs<Call<D>, I> {
  scope: 'token'
  /** The accesses that may call the method. Checked after `input` and before `run`. */
  caller: AccessCaller
  /** `run` checks `caller` itself, since failures about its parameters or its target come first. */
  checksCaller?: true
  http: TokenHttpRoute
  /** Throws, by the path parameters, failures that can be detected before files are received. */
  assertBeforeUpload?(call: Call<D>, path: Readonly<Record<string, string>>): void
}

/** A method that needs `D`. Without `D`, any method: its description, which cannot be run. */
export type Method<D = never> = PlatformMethod<D> | OpenMethod<D> | TokenMethod<D>

// The list contains methods with different inputs: `run` is only called with the result of `input`. Each value keeps the types of its
// id, input and output (MethodTypes).

/** Defines a method of the node itself. */
export const platformMethod = <const Id extends string, I extends z.ZodType, O extends z.ZodType, D = unknown>(
  m: Omit<PlatformMethod<D, I, O, Id>, 'scope'>,
): PlatformMethod<D, I, O, Id> => ({ ...m, scope: 'platform' }) as PlatformMethod<D, I, O, Id>

/** Defines a method of an account that needs no token. */
export const openMethod = <const Id extends string, I extends z.ZodType, O extends z.ZodType, D = unknown>(
  m: Omit<OpenMethod<D, I, O, Id>, 'scope'>,
): OpenMethod<D, I, O, Id> => ({ ...m, scope: 'account' }) as OpenMethod<D, I, O, Id>

/** Defines a method of an account that requires an access. */
export const method = <const Id extends string, I extends z.ZodType, O extends z.ZodType, D = unknown>(
  m: Omit<TokenMethod<D, I, O, Id>, 'scope'>,
): TokenMethod<D, I, O, Id> => ({ ...m, scope: 'token' }) as TokenMethod<D, I, O, Id>

/** Checks whether a method is enabled by the settings. */
export const isOn = ({ config }: Pick<Context, 'config'>, { requiresSetting }: Pick<Method, 'requiresSetting'>): boolean =>
  requiresSetting === undefined || config.get(requiresSetting)

interface Typed {
  id: string
  input: z.ZodType
  output(): z.ZodType
}

/** The result of a method, as in JSON. */
export type OutputOf<M extends Pick<Typed, 'output'>> = z.output<ReturnType<M['output']>>

/** The parameters and the result of each method in a list, by method id, without methods whose id has no literal type. Results are as in JSON. */
export type MethodTypes<List extends readonly Typed[]> = {
  [M in List[number] as string extends M['id'] ? never : M['id']]: { input: z.input<M['input']>; output: OutputOf<M> }
}
