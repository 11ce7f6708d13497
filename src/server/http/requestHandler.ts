/**
 * The HTTP request handler: converts a raw request to a call of a method, and its result or failure to an answer. Routes derive
 * from the list of methods; address.ts determines the account, auth/authenticate.ts the token.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { accessIdOf, isAlias, isExpired } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { assertAdmin } from '../auth/adminKey.js'
import type { Authenticated } from '../call/caller.js'
import { authenticate, stillValid, authOf, credentialsOf, proved, type Credentials } from '../auth/authenticate.js'
import { clientOrigin } from '../auth/origin.js'
import { resolveAccount, buildCall, recordRefused, callOpen, callPlatform, callToken, mergeParameters, recordedId, assertAvailable, withTrail } from '../dispatch/call.js'
import type { AnswerReader } from '../call/answers/answerReader.js'
import { tokenOfReadToken } from '../auth/readToken.js'
import type { Call, Method, Origin, PlatformCall, Result, SentCredentials, TokenMethod, OpenMethod } from '../call/method.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Node } from '../index.js'
import { limitsOf, measureFirst, assertWithinLimits } from '../dispatch/quota.js'
import { assertWritable, withUploads } from '../dispatch/uploads.js'
import { addressOf, type Address, type AddressForm } from './address.js'
import { sendAnswer } from './sendAnswer.js'
import { isMultipart, readMultipart } from './multipart.js'
import { callingCore } from './callingCore.js'
import { createProtocolHandler } from './protocols.js'
import { formBody, isJson, jsonBody, jsonLimit, publicLimit, type RequestBody } from './body.js'
import { splitPlan } from '../call/json/largeBody.js'
import { createQueryReader, queryParameters } from '../dispatch/query.js'
import { sendFailure, sendText } from './respond.js'
import { sendRoot, type WebPages } from './root.js'
import { matchRoute, routesOf, type Routes } from './routes.js'
import { readerOf } from './socketReceivers.js'


/** State of a request in progress; its answer includes what is known so far. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  reader: AnswerReader
  caller?: Authenticated
  /** The requested method, once known. */
  method?: Method<Node>
  /** True when the method was started; it counts itself then. */
  hasRun?: true
}

interface HttpHandler {
  /** Determines the account of a raw request, before it is normalised. Undefined: it has been answered. */
  admit(request: IncomingMessage, response: ServerResponse): Address | undefined
  /** Answers an admitted request. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, address: Address): Promise<void>
}

export function createHttpHandler(node: Node, methods: readonly Method<Node>[], form: AddressForm, pages: WebPages): HttpHandler {
  const accountRoutes = routesOf(methods.filter((m) => m.scope !== 'platform'))
  const platformRoutes = routesOf(methods.filter((m) => m.scope === 'platform'))
  const protocols = createProtocolHandler(node, methods)
  const queries = createQueryReader()
  const batch = methods.find((m): m is TokenMethod<Node> => m.id === 'callBatch')

  function admit(request: IncomingMessage, response: ServerResponse): Address | undefined {
    if (request.method === 'OPTIONS') {
      if (protocols.preflight(request, response)) return undefined
      void sendText(node, request, response, 200, 'text/plain; charset=utf-8', 'OK')
      return undefined
    }
    try {
      return addressOf(request, form)
    } catch (error) {
      sendFailure(node, request, response, error)
      return undefined
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse, address: Address): Promise<void> {
    const spoken = protocols.answer(request, response, address)
    if (spoken !== undefined) return spoken
    const reader = readerOf(node, response)
    const exchange: Exchange = { request, response, reader }
    const begun = performance.now()
    try {
      await answer(exchange, address)
    } catch (error) {
      if (exchange.hasRun !== true) node.metrics.refused(error, exchange.method?.id)
      sendFailure(node, request, response, error, idOfCaller(exchange))
    } finally {
      reader.release()
      node.requestStats.note(performance.now() - begun, response.statusCode)
    }
  }

  async function answer(exchange: Exchange, address: Address): Promise<void> {
    const { request } = exchange
    const verb = (request.method === 'HEAD' ? 'GET' : request.method) ?? 'GET'
    if (verb === 'POST' && /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
      const form = await formBody(node, request, (auth) => isKnownToken(request, address, auth))
      return dispatch(exchange, address, form.method ?? 'POST', form.body, form.auth)
    }
    return dispatch(exchange, address, verb, jsonBody(node, request))
  }

  /** Checks whether the token of a form, or of its request, is valid for the requested account. */
  async function isKnownToken(request: IncomingMessage, address: Address, auth: string | undefined): Promise<boolean> {
    const credentials = credentialsOf(auth ?? request.headers.authorization, authOf(address.query))
    if (address.kind !== 'account' || credentials === undefined) return false
    stillValid(node, await resolveAccount(node, address), credentials.token, true)
    return true
  }

  async function dispatch(
    exchange: Exchange,
    address: Address,
    verb: string,
    body: RequestBody,
    auth?: string,
  ): Promise<void> {
    if (address.kind === 'platform') return platform(exchange, address, verb, body, auth)
    const found = resolveAccount(node, address)
    const loaded = found instanceof Promise ? await found.catch((error: unknown) => unresolved(address.path, verb, error)) : found
    if (loaded === 'same for all') return platform(exchange, { ...address, kind: 'platform' }, verb, body, auth)
    if (address.path === '/') {
      if (verb === 'GET') return sendRoot(node, pages, exchange.request, exchange.response, address)
      if (verb === 'POST' && batch !== undefined) {
        return tokenCall(exchange, batch, loaded, address.query, {}, body, auth)
      }
    }
    const { method, parameters } = matchRoute(accountRoutes, verb, address.path)
    if (method.scope === 'token') return tokenCall(exchange, method, loaded, address.query, parameters, body, auth)
    if (method.scope === 'platform') throw new Failure('unknown-resource')
    exchange.method = method
    const params = await input(method, address.query, parameters, body, limitOf(method))
    body.assertJsonType()
    const origin = originOf(exchange, address.query)
    const { account, user } = loaded
    const alias = isAlias(address.username) ? { alias: address.username } : {}
    const call = { node, origin, account, user, ...alias, ...sentCredentials(exchange.request, address.query, auth) }
    exchange.hasRun = true
    const result = await callOpen(call, method, params)
    return send(exchange, method, result)
  }

  /** Throws the failure for a call without an account here, unless another core has it and the answer is the same for all accounts. */
  function unresolved(path: string, verb: string, error: unknown): 'same for all' {
    if (isOfOtherCore(error) && openMethodAt(accountRoutes, path, verb)?.http.isSameForAll === true) return 'same for all'
    return throwUnknownAccount(node, accountRoutes, path, verb, error)
  }

  async function platform(
    exchange: Exchange,
    address: Address,
    verb: string,
    body: RequestBody,
    auth: string | undefined,
  ): Promise<void> {
    if (address.path === '/' && verb === 'GET') return sendRoot(node, pages, exchange.request, exchange.response, address)
    const { method, parameters } = matchRoute(platformRoutes, verb, address.path)
    if (method.scope !== 'platform') throw new Failure('unknown-resource')
    exchange.method = method
    const origin = originOf(exchange, address.query)
    const { credential, refusal } = method.caller
    if (credential === 'adminKey') assertAdmin(node, origin, auth ?? exchange.request.headers.authorization, refusal)
    assertJsonBody(method, exchange.request)
    const params = await input(method, address.query, parameters, body, credential === 'adminKey' ? jsonLimit(node) : limitOf(method))
    body.assertJsonType()
    const call: PlatformCall<Node> = { node, origin, ...sentCredentials(exchange.request, address.query, auth), ...callingCore(node, exchange.request, body, origin) }
    exchange.hasRun = true
    const result = await callPlatform(call, method, params)
    return send(exchange, method, result)
  }

  async function tokenCall(
    exchange: Exchange,
    method: TokenMethod<Node>,
    loaded: LoadedAccount,
    query: string,
    path: Record<string, string>,
    body: RequestBody,
    auth: string | undefined,
  ): Promise<void> {
    const { request } = exchange
    exchange.method = method
    const hasFiles = method.takesFiles !== undefined && isMultipart(request)
    // Bodies within the anonymous limit are read before authentication; larger ones, and files, afterwards.
    const isSmall = !hasFiles && (!hasBody(method) || (await body.begin()))
    let parameters = isSmall ? await input(method, query, path, body, jsonLimit(node)) : undefined
    assertJsonBody(method, request)
    const settling = loaded.account.settledStructure()
    if (settling !== undefined) await settling
    const origin = originOf(exchange, query)
    if (method.http.source !== undefined) origin.source = method.http.source
    // For the audit: only the path identifies the file.
    if (method.http.sendsFile === true) origin.query = new URLSearchParams(path).toString()
    let token: string | undefined
    let callerId: string | undefined
    let caller: Authenticated
    try {
      assertAvailable(node, method)
      const authorization = auth ?? request.headers.authorization
      const credentials =
        method.http.byReadToken === true
          ? fileReaderOf(loaded, authorization, query, path)
          : credentialsOf(authorization, authOf(query))
      token = credentials?.token
      callerId = credentials?.callerId
      if (token === undefined && method.http.absentToken !== undefined) throw method.http.absentToken()
      caller = authenticate(node, loaded, token, true)
      exchange.caller = caller
      const proving = credentials === undefined ? undefined : proved(node, caller, credentials, origin, method)
      if (proving !== undefined) await proving
    } catch (error) {
      // An expired access is identified anyway: its id is included in the headers of the answer.
      const known = recordRefused(node, origin, loaded, recordedId(method), token, error)
      if (known !== undefined) exchange.caller = known
      if (method.http.expiredToken !== undefined && known !== undefined && isExpired(known.access, node.clock.now())) throw method.http.expiredToken()
      throw error
    }
    if (!isSmall && !hasFiles) parameters = await input(method, query, path, body, jsonLimit(node))
    body.assertJsonType()
    const call = withTrail(buildCall(node, origin, loaded, caller, callerId), method)
    if (!hasFiles) exchange.hasRun = true
    const result = hasFiles ? await callWithFiles(exchange, call, method, path) : await callToken(call, method, parameters)
    return send(exchange, method, result)
  }

  function originOf({ request, reader }: Exchange, query: string): Origin {
    const origin = clientOrigin(node, request)
    origin.reader = reader
    if (query !== '') origin.query = query
    return origin
  }

  /**
   * Returns the credentials for a file: the token in the header, or the file's read token. A read token must be valid if sent,
   * even with other credentials; the `auth` of other methods is rejected (docs/interface/attachments.md#read-tokens).
   */
  function fileReaderOf(
    { account }: LoadedAccount,
    authorization: string | undefined,
    query: string,
    { fileId = '' }: Record<string, string>,
  ): Credentials | undefined {
    if ((authOf(query) ?? '') !== '') throw new Failure('invalid-access-token', AUTH_OF_FILE, undefined, 'absent')
    const credentials = credentialsOf(authorization, undefined)
    const readToken = new URLSearchParams(query).get('readToken') ?? ''
    if (readToken === '') return credentials
    const token = tokenOfReadToken(node, account, fileId, readToken)
    return credentials ?? { token, isRead: true }
  }

  async function callWithFiles(
    exchange: Exchange,
    call: Call<Node>,
    method: TokenMethod<Node>,
    path: Record<string, string>,
  ): Promise<Result> {
    const { request } = exchange
    try {
      method.assertBeforeUpload?.(call, path)
      assertWritable(node)
      const limits = limitsOf(node, call.user)
      await measureFirst(call)
      if (limits !== undefined) assertWithinLimits(call, node.store.db, limits, true)
      const { item, files } = await readMultipart(node, request, splitPlan(method, methods, 0))
      return await withUploads(call, files, (withFiles) => {
        if (method.takesFiles === 'with-item' && item === undefined) {
          throw new Failure('invalid-request-structure', 'The JSON part with the event is missing.')
        }
        const body = method.takesFiles === 'with-item' ? item : undefined
        exchange.hasRun = true
        return callToken(withFiles, method, mergeParameters(method, path, {}, body))
      })
    } catch (error) {
      if (exchange.hasRun !== true) call.trail?.failed(error)
      throw error
    }
  }

  /** Returns the parameters of a method from all parts of the request. */
  async function input(
    method: Method<Node>,
    query: string,
    path: Record<string, string>,
    body: RequestBody,
    limitBytes: number,
  ): Promise<unknown> {
    const { verb } = method.http
    if (hasBody(method)) {
      const value = await body.value(limitBytes, () => splitPlan(method, methods, node.config.get('limits.batch.maxCalls')))
      if (method.takesFiles === 'alone') assertNoFields(value)
      return mergeParameters(method, path, {}, value)
    }
    if (verb === 'GET' && Object.keys(path).length === 0) return queries.parametersOf(method, query)
    return mergeParameters(method, path, queryParameters(method, query), undefined)
  }

  /** Returns the maximum body size in bytes of a method without a token. */
  const limitOf = ({ http: { bodyLimit } }: Method<Node>): number => Math.min(jsonLimit(node), Math.max(publicLimit(node), bodyLimit?.(node) ?? 0))

  const send = (exchange: Exchange, method: Method<Node>, result: Result): Promise<void> =>
    sendAnswer(node, exchange.request, exchange.response, method, result, idOfCaller(exchange), exchange.reader)

  return { admit, handle }
}

const AUTH_OF_FILE = 'The parameter auth is not accepted for files. Send the token in the Authorization header, or the readToken of the file.'

const hasBody = ({ http: { verb } }: Method<Node>): boolean => verb === 'POST' || verb === 'PUT'

/** Throws for fields where only files are accepted, which would be lost; accepts an empty object. */
function assertNoFields(value: unknown): void {
  if (value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) return
  throw new Failure('unsupported-content-type', 'Send files as multipart/form-data. To change fields of an event, use PUT with JSON.')
}

function assertJsonBody({ http: { jsonOnly } }: Method<Node>, { headers }: IncomingMessage): void {
  if (jsonOnly !== undefined && !isJson(headers['content-type'])) throw new Failure(jsonOnly, 'The body must be JSON.')
}

const idOfCaller = ({ caller }: Exchange): string | undefined =>
  caller === undefined ? undefined : accessIdOf(caller.access)

/** Returns the credentials of a request to a method without an access; `auth` is that of the form. */
function sentCredentials(request: IncomingMessage, query: string, auth: string | undefined): SentCredentials {
  const sent: SentCredentials = {}
  const authorization = auth ?? request.headers.authorization
  const queryAuth = authOf(query)
  if (authorization !== undefined) sent.authorization = authorization
  if (queryAuth !== undefined) sent.queryAuth = queryAuth
  return sent
}

/** Checks whether an account is on another core, or may be. */
const isOfOtherCore = (error: unknown): boolean => error instanceof Failure && (error.id === 'wrong-core' || error.id === 'platform-unavailable')

/** Throws the failure for a call to an unknown account, as defined by its method. */
function throwUnknownAccount(node: Node, routes: Routes, path: string, verb: string, error: unknown): never {
  const method = error instanceof Failure && error.id === 'unknown-resource' ? openMethodAt(routes, path, verb) : undefined
  if (method?.http.absentAccount === undefined) throw error
  assertAvailable(node, method)
  throw method.http.absentAccount()
}

function openMethodAt(routes: Routes, path: string, verb: string): OpenMethod<Node> | undefined {
  try {
    const { method } = matchRoute(routes, verb, path)
    return method.scope === 'account' ? method : undefined
  } catch {
    return undefined
  }
}
