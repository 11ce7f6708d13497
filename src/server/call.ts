/** What every door does with a call once its access is known: count it, read its parameters, run it. */
import { Failure } from '../store/model/failure.js'
import { parseInput } from '../store/model/validation.js'
import type { Call, Method, OpenCall, OpenMethod, Result, TokenMethod } from './method.js'
import type { Node } from './node.js'

/** Runs a method for an access. `asked` is what the client sent, in whatever form. */
export function callToken(call: Call, method: TokenMethod, asked: unknown): Promise<Result> | Result {
  const { node, account, caller } = call
  if (method.id !== 'callBatch') node.usage.count(account, caller.access.id, method.id, node.clock.now())
  return method.run(call, method.isPlain?.(asked) === true ? asked : parseInput(method.input, asked))
}

/** Runs a method of an account that needs no access. */
export function callOpen(call: OpenCall, method: OpenMethod, asked: unknown): Promise<Result> | Result {
  return method.run(call, parseInput(method.input, asked))
}

/** The parameters of a method from what HTTP spreads over path, query and body. */
export function mergeParameters(
  method: Method,
  path: Record<string, string>,
  query: Record<string, unknown>,
  body: unknown,
): unknown {
  const { verb } = method.http
  if (method.body === 'update') return { ...path, update: body ?? {} }
  if (verb === 'GET' || verb === 'DELETE') return { ...query, ...path }
  if (Object.keys(path).length === 0) return body ?? {}
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body, ...path }
  if (body === undefined) return path
  throw new Failure('invalid-parameters-format', 'The body must be a JSON object.')
}

/** The failure to answer with: one of the catalogue as it is; anything else is logged and answered as unexpected. */
export function asFailure(node: Node, method: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  node.log.error('a call failed unexpectedly', {
    method,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return new Failure('unexpected-error')
}
