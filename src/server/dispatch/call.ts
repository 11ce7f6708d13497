/**
 * Path of a call from a transport to its method. This file finds the account, creates the call of an access, counts it, begins
 * its audit record, validates the parameters, checks the declared caller and runs the method. Beside it, readParameters.ts,
 * query.ts and uploads.ts parse the request, dispatch.ts and callBatch.ts call methods by id, and accountWrite.ts writes on behalf
 * of a call, within the limits of quota.ts.
 */
import { accessIdOf, isAlias, type Access } from '../../store/model/access.js'
import { delegateOf } from '../../store/model/delegation.js'
import { platformUnavailable } from '../platform/registry/port.js'
import { failureOfAbsent } from '../platform/cores/wrongCore.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { isJsonObject } from '../../store/model/json.js'
import { parseInput } from '../../store/model/validation.js'
import { CallerGone } from '../../store/engine/yield.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import type { Call, Method, OpenCall, OpenMethod, PlatformCall, PlatformMethod, Result, TokenMethod, Origin } from '../call/method.js'
import type { Context } from '../call/context.js'
import type { Authenticated, Caller } from '../call/caller.js'
import { stillValid } from '../auth/authenticate.js'
import type { LoadedAccount } from '../call/accountCache.js'
import { relocationFailure, type AccountRequest } from './relocation.js'

/** Runs a method for an access. `request` is the client's input, in any form. */
export function callToken<D>(call: Call<D>, method: TokenMethod<D>, request: unknown): Promise<Result> | Result {
  const { node, account, caller } = call
  if (method.id !== 'callBatch') node.usage.count(account, caller.access.id, recordedId(method), node.clock.now())
  return runRecorded(call, method, request)
}

/** Runs a method for an access, counts it, and completes the audit record of the call, if it has one. */
export function runRecorded<D>(call: Call<D>, method: TokenMethod<D>, request: unknown): Promise<Result> | Result {
  const { trail, node } = call
  const began = performance.now()
  const refused = (error: unknown): never => {
    node.metrics.failed(method.id, began, error)
    trail?.failed(error)
    throw error
  }
  const answered = (result: Result): Result => {
    node.metrics.succeeded(method.id, began)
    trail?.succeeded()
    return result
  }
  try {
    const result = ranWith(call, method, request)
    return result instanceof Promise ? result.then(answered, refused) : answered(result)
  } catch (error) {
    return refused(error)
  }
}

function ranWith<D>(call: Call<D>, method: TokenMethod<D>, request: unknown): Promise<Result> | Result {
  assertAvailable(call.node, method)
  return runAllowed(call, method, inputOf(call.node, method, request))
}

/** Runs a method with its validated input, if the access of the call may call it. Throws the failure of `method.caller`. */
export function runAllowed<D>(call: Call<D>, method: TokenMethod<D>, input: unknown): Promise<Result> | Result {
  if (method.checksCaller !== true) method.caller.assertAllows(call)
  return method.run(call, input)
}

/** Throws for a method whose feature is disabled. */
export function assertAvailable(node: Context, method: Pick<Method, 'unavailable'>): void {
  const refusal = method.unavailable?.(node)
  if (refusal !== undefined) throw refusal
}

/** Parsed inputs by parameter object, for parameters that are reused. */
const known = new WeakMap<object, unknown>()

/**
 * Validates the client's parameters and returns the method's input. All calls pass here, from any transport.
 * @throws Failure `invalid-parameters-format`
 */
export function inputOf(node: Context, method: Pick<Method, 'input' | 'isPlain' | 'maxItems'>, request: unknown): unknown {
  if ('isPlain' in method && method.isPlain?.(request) === true) return request
  assertFewItems(node, method, request)
  // Frozen parameters are those of cached queries, each for one method (query.ts).
  if (typeof request !== 'object' || request === null || !Object.isFrozen(request)) return parseInput(method.input, request)
  let input = known.get(request)
  if (input === undefined) {
    input = parseInput(method.input, request)
    if (typeof input === 'object' && input !== null) known.set(request, Object.freeze(input))
  }
  return input
}

function assertFewItems(node: Context, { maxItems }: Pick<Method, 'maxItems'>, request: unknown): void {
  const max = maxItems?.(node)
  if (max === undefined || !Array.isArray(request) || request.length <= max) return
  throw invalidFormat([{ code: 'ARRAY_LENGTH_LONG', message: `Expected at most ${max} items.`, path: '#/', params: [max] }])
}

/** Returns the id under which calls of a method are counted and recorded. */
export const recordedId = ({ recordedAs, id }: Pick<Method, 'recordedAs' | 'id'>): string => recordedAs ?? id

/** Returns the call with its own audit record, for the method that it calls. */
export function withTrail<D>(call: Call<D>, method: Pick<Method, 'recordedAs' | 'id'>): Call<D> {
  const { caller, callerId } = call
  return { ...call, trail: trailOf(call, recordedId(method), caller.access, caller.token.reveal(), callerId) }
}

/**
 * Starts the audit record of a call whose access is not found by `withTrail`: an expired or unknown token (`invalid`), or a
 * method
 * without a token. `by` is the access, or a pseudo access id.
 */
export function trailOf(
  { node, account, origin }: Omit<OpenCall, 'user'>,
  action: string,
  by: Access | string,
  token?: string,
  callerId?: string,
): CallRecorder | undefined {
  const { source, ip, query } = origin
  const access = typeof by === 'string' ? by : accessIdOf(by)
  const delegate = typeof by === 'string' ? undefined : delegateOf(by)
  return node.audit.begin(account, { access, action, source, ip, query, callerId, delegate, token })
}

/** Counts a call of a method that needs no access. */
async function counted({ metrics }: Context, { id }: Pick<Method, 'id'>, run: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  try {
    const result = await run()
    metrics.succeeded(id, began)
    return result
  } catch (error) {
    metrics.failed(id, began, error)
    throw error
  }
}

/** Runs a method of an account that needs no access. Failures are not audited, unless they changed something. */
export const callOpen = <D>(call: OpenCall<D>, method: OpenMethod<D>, request: unknown): Promise<Result> =>
  counted(call.node, method, () => ranOpen(call, method, request))

async function ranOpen<D>(call: OpenCall<D>, method: OpenMethod<D>, request: unknown): Promise<Result> {
  assertAvailable(call.node, method)
  const { auditedAs } = method
  const trail = auditedAs === undefined ? undefined : trailOf(call, method.id, auditedAs)
  const input = inputOf(call.node, method, request)
  if (trail === undefined) return method.run(call, input)
  try {
    const result = await method.run({ ...call, trail }, input)
    trail.succeeded()
    return result
  } catch (error) {
    if (trail.isStaged) trail.failed(error)
    throw error
  }
}

/** Runs a method of the platform. Audit records of such calls are only sent to the syslog output. */
export const callPlatform = <D>(call: PlatformCall<D>, method: PlatformMethod<D>, request: unknown): Promise<Result> =>
  counted(call.node, method, () => ranPlatform(call, method, request))

async function ranPlatform<D>(call: PlatformCall<D>, method: PlatformMethod<D>, request: unknown): Promise<Result> {
  const { node, origin } = call
  const { auditedAs } = method
  if (auditedAs === undefined) return method.run(call, inputOf(node, method, request))
  const { source, ip, query } = origin
  const recorded = { access: auditedAs, action: method.id, source, ip, query, callerId: undefined, delegate: undefined, token: call.authorization }
  try {
    const result = await method.run(call, inputOf(node, method, request))
    node.audit.recordPlatform(recorded)
    return result
  } catch (error) {
    node.audit.recordPlatform(recorded, error instanceof Failure ? error : new Failure('unexpected-error'))
    throw error
  }
}

/** Returns the parameters of a method from path, query and body. */
export function mergeParameters(
  method: Pick<Method, 'http'>,
  path: Record<string, string>,
  query: Record<string, unknown>,
  body: unknown,
): unknown {
  const { verb, body: parameter } = method.http
  if (parameter !== undefined) return { ...path, [parameter]: body === undefined ? {} : body }
  if (verb === 'GET' || verb === 'DELETE') return { ...query, ...path }
  if (Object.keys(path).length === 0) return body ?? {}
  if (isJsonObject(body)) return { ...body, ...path }
  if (body === undefined) return path
  throw new Failure('invalid-parameters-format', 'The body must be a JSON object.')
}

/** Returns the failure for an error: those of the catalogue unchanged; others are logged and become `unexpected-error`. */
export function asFailure(node: Context, method: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  // The client has disconnected: this failure is never read.
  if (error instanceof CallerGone) return new Failure('invalid-operation', error.message)
  node.log.error('a call failed unexpectedly', {
    method,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  // Installing another version over a running node removes modules that it loads on demand.
  const isReplaced = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isReplaced
    ? new Failure('unexpected-error', 'The program of this node was replaced while it was running. Restart the node.')
    : new Failure('unexpected-error')
}

/**
 * Returns the account with a username, or with the alias of an access; synchronously when it is in memory.
 * @throws Failure `unknown-resource`; `user-account-relocated` for one that moved; `wrong-core` for one of another core
 */
export function resolveAccount(node: Context, input: AccountRequest): LoadedAccount | Promise<LoadedAccount> {
  const { username } = input
  const loaded = node.accounts.peek(username)
  if (loaded !== undefined) return present(node, input, loaded)
  const finding = isAlias(username) ? node.accounts.findByAlias(username) : node.accounts.find(username)
  return finding.then((found) => (found === undefined ? absent(node, username) : present(node, input, found)))
}

/** @throws Failure `unknown-resource`, or `wrong-core` when another core of the platform has the account */
async function absent(node: Context, username: string): Promise<never> {
  throw await failureOfAbsent(node, { field: isAlias(username) ? 'alias' : 'username', value: username }, username)
}

function present(node: Context, input: AccountRequest, loaded: LoadedAccount): LoadedAccount {
  const { username, relocated } = loaded.user
  if (relocated !== undefined) throw relocationFailure(node, username, relocated, input)
  if (!node.registry.isSettled(loaded.user.id)) throw platformUnavailable()
  return loaded
}

/** Creates the call of an admitted access. `callerId` was sent by the client. */
export function buildCall<D>(node: Context & D, origin: Origin, { account, user }: LoadedAccount, caller: Caller, callerId?: string): Call<D> {
  const { rights } = account
  const id = accessIdOf(caller.access)
  // With all members from the beginning: V8 copies such an object thirty times faster than one that gets another member.
  const call: Call<D> = { node, origin, account, user, caller, author: id, rights, trail: undefined }
  if (callerId !== undefined) {
    call.author = `${id} ${callerId}`
    call.callerId = callerId
  }
  return call
}

/**
 * Creates a call for a token from the body of another call, without extending its session.
 * @throws Failure `invalid-access-token`, `forbidden` for an expired access
 */
export async function callWith<D>(node: Context & D, origin: Origin, loaded: LoadedAccount, token: string): Promise<Call<D>> {
  await loaded.account.settledStructure()
  return buildCall(node, origin, loaded, stillValid(node, loaded, token))
}

/** The pseudo access id of calls with an unknown token (docs/interface/audit.md#calls). */
const UNKNOWN_ACCESS = 'invalid'

/**
 * Audits a rejected call under the access of its token; calls with unknown tokens are only counted. Returns that access, even if
 * expired.
 */
export function recordRefused(
  node: Context,
  origin: Origin,
  { account, tokens }: LoadedAccount,
  action: string,
  token: string | undefined,
  error: unknown,
): Authenticated | undefined {
  const known = token === undefined ? undefined : tokens.get(token)
  if (known !== undefined) trailOf({ node, origin, account }, action, known.access, token)?.failed(error)
  else {
    const { source, ip, query } = origin
    const recorded = { access: UNKNOWN_ACCESS, action, source, ip, query, callerId: undefined, delegate: undefined, token }
    node.audit.countRefused(account, recorded, error instanceof Failure ? error : new Failure('unexpected-error'))
  }
  return known
}
