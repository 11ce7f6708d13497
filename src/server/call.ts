/** What every door does with a call once its access is known: count it, read its parameters, run it. */
import { accessIdOf, type Access } from '../store/model/access.js'
import { delegateOf } from '../store/model/delegation.js'
import { Failure, invalidFormat } from '../store/model/failure.js'
import { parseInput } from '../store/model/validation.js'
import { CallerGone } from '../store/engine/yield.js'
import type { CallRecorder } from './audit/auditEntry.js'
import type {
  Call,
  Method,
  OpenCall,
  OpenMethod,
  PlatformCall,
  PlatformMethod,
  Result,
  TokenMethod,
} from './method.js'
import type { Node } from './node.js'

/** Runs a method for an access. `asked` is what the client sent, in whatever form. */
export function callToken(call: Call, method: TokenMethod, request: unknown): Promise<Result> | Result {
  const { node, account, caller } = call
  if (method.id !== 'callBatch') node.usage.count(account, caller.access.id, recordedId(method), node.clock.now())
  return runRecorded(call, method, request)
}

/** Runs a method for an access, counts it, and sees that the trail of the call, where it has one, becomes its record. */
export function runRecorded(call: Call, method: TokenMethod, request: unknown): Promise<Result> | Result {
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

function ranWith(call: Call, method: TokenMethod, request: unknown): Promise<Result> | Result {
  assertAvailable(call.node, method)
  return method.run(call, inputOf(call.node, method, request))
}

/** Refuses a method whose feature the operator has switched off. */
export function assertAvailable(node: Node, method: Method): void {
  const refusal = method.unavailable?.(node)
  if (refusal !== undefined) throw refusal
}

/** What methods made of parameters that come again as the same object. */
const known = new WeakMap<object, unknown>()

/**
 * Checks what a client sent for a method, and returns the method's input. Every call passes here, whatever brought it.
 * @throws Failure `invalid-parameters-format`
 */
export function inputOf(node: Node, method: Method, request: unknown): unknown {
  if ('isPlain' in method && method.isPlain?.(request) === true) return request
  assertFewItems(node, method, request)
  // Frozen are those of repeated queries, each read for one method (query.ts).
  if (typeof request !== 'object' || request === null || !Object.isFrozen(request)) return parseInput(method.input, request)
  let input = known.get(request)
  if (input === undefined) {
    input = parseInput(method.input, request)
    if (typeof input === 'object' && input !== null) known.set(request, Object.freeze(input))
  }
  return input
}

function assertFewItems(node: Node, { maxItems }: Method, request: unknown): void {
  const max = maxItems?.(node)
  if (max === undefined || !Array.isArray(request) || request.length <= max) return
  throw invalidFormat([{ code: 'ARRAY_LENGTH_LONG', message: `Expected at most ${max} items.`, path: '#/', params: [max] }])
}

/** The id under which calls of a method are counted and recorded. */
export const recordedId = ({ recordedAs, id }: Method): string => recordedAs ?? id

/** The call with a trail of its own, for the method that it calls. */
export function withTrail(call: Call, method: Method): Call {
  const { caller, callerId } = call
  const trail = trailOf(call, recordedId(method), caller.access, caller.token.reveal(), callerId)
  if (trail !== undefined) return { ...call, trail }
  const { trail: _, ...undelivered } = call
  return undelivered
}

/**
 * Begins the record of a call whose access is known otherwise than by `withTrail`: from an expired or unknown token
 * (`invalid`), or by what a method without a token was shown. `by` is the access, or a pseudo access id.
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
async function counted({ metrics }: Node, { id }: Method, run: () => Promise<Result>): Promise<Result> {
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

/** Runs a method of an account that needs no access. What it refuses is not recorded, unless it changed something. */
export const callOpen = (call: OpenCall, method: OpenMethod, request: unknown): Promise<Result> =>
  counted(call.node, method, () => ranOpen(call, method, request))

async function ranOpen(call: OpenCall, method: OpenMethod, request: unknown): Promise<Result> {
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

/** Runs a method of the platform. What is to be recorded of such calls goes to the syslog output alone. */
export const callPlatform = (call: PlatformCall, method: PlatformMethod, request: unknown): Promise<Result> =>
  counted(call.node, method, () => ranPlatform(call, method, request))

async function ranPlatform(call: PlatformCall, method: PlatformMethod, request: unknown): Promise<Result> {
  const { node, origin } = call
  const { auditedAs } = method
  if (auditedAs === undefined) return method.run(call, inputOf(node, method, request))
  const { source, ip, query } = origin
  const made = { access: auditedAs, action: method.id, source, ip, query, callerId: undefined, delegate: undefined, token: call.authorization }
  try {
    const result = await method.run(call, inputOf(node, method, request))
    node.audit.recordPlatform(made)
    return result
  } catch (error) {
    node.audit.recordPlatform(made, error instanceof Failure ? error : new Failure('unexpected-error'))
    throw error
  }
}

/** The parameters of a method from what HTTP spreads over path, query and body. */
export function mergeParameters(
  method: Method,
  path: Record<string, string>,
  query: Record<string, unknown>,
  body: unknown,
): unknown {
  const { verb } = method.http
  if (method.body !== undefined) return { ...path, [method.body]: body === undefined ? {} : body }
  if (verb === 'GET' || verb === 'DELETE') return { ...query, ...path }
  if (Object.keys(path).length === 0) return body ?? {}
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body, ...path }
  if (body === undefined) return path
  throw new Failure('invalid-parameters-format', 'The body must be a JSON object.')
}

/** The failure to answer with: one of the catalogue as it is; anything else is logged and answered as unexpected. */
export function asFailure(node: Node, method: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  // The caller has left: this failure is never read.
  if (error instanceof CallerGone) return new Failure('invalid-operation', error.message)
  node.log.error('a call failed unexpectedly', {
    method,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  // An installation over a running node takes away what it loads when it is first needed.
  const isReplaced = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isReplaced
    ? new Failure('unexpected-error', 'The program of this node was replaced while it runs; stop the node and start it again.')
    : new Failure('unexpected-error')
}
