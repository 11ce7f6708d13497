/** Failures of calls to unknown accounts. */
import { Failure } from '../../store/model/failure.js'
import { assertAvailable } from '../dispatch/call.js'
import type { OpenMethod } from '../call/method.js'
import type { Node } from '../index.js'
import { matchRoute, type Routes } from './routes.js'

/** Throws the failure for a call to an unknown account, as defined by its method. */
export function throwUnknownAccount(node: Node, routes: Routes, path: string, verb: string, error: unknown): never {
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
