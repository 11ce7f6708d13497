/** Dispatches calls by method id: those in a batch, and messages over a websocket. */
import { Failure } from '../../store/model/failure.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import { callOpen, callToken, inputOf, runAllowed, withTrail } from './call.js'
import { readmitted } from '../auth/authenticate.js'
import { isOn, type Call, type Method, type Origin, type OpenMethod, type Result, type TokenMethod } from '../call/method.js'
import { withoutIgnored } from './readParameters.js'
import { resultText } from '../call/results.js'

/** Returns methods by id; if the node and accounts have a method with the same id, that of accounts. */
export function methodsById<D>(methods: readonly Method<D>[]): Map<string, Method<D>> {
  const byId = new Map<string, Method<D>>()
  for (const one of methods) if (one.scope !== 'platform' || !byId.has(one.id)) byId.set(one.id, one)
  return byId
}

/**
 * Runs a method by its id; returns the result as JSON text. `found` is the method with that id, if any. Checks the access again,
 * since an earlier or concurrent call may have changed its rights. Throws the failures of the method; `invalid-method`, also for
 * methods that cannot be called this way; `too-many-results`. Failures are audited. `meta` returns the last member of the answer,
 * if any.
 */
export async function dispatchById<D>(call: Call<D>, id: string, found: Method<D> | undefined, params: unknown, meta?: () => string): Promise<string> {
  const max = call.node.config.get('limits.batch.maxTotalItems')
  const { reader } = call.origin
  const text = (result: Result): Promise<string> => resultText(result, max, reader, found?.http.verb !== 'GET', meta?.())
  let trail: CallRecorder | undefined
  try {
    if (found === undefined || !isOn(call.node, found)) throw new Failure('invalid-method', `There is no method "${nameOf(id)}".`)
    const current = readmitted(call)
    if (!canBeNamed(found, call.origin)) {
      throw new Failure('invalid-method', `The method "${id}" cannot be called in a batch or over a websocket.`)
    }
    const input = withoutIgnored(found, params)
    if (found.scope === 'account') return await text(await callOpen(current, found, input))
    if (current.trail !== undefined) {
      return await text(await runAllowed(current, found, inputOf(call.node, found, input)))
    }
    const own = withTrail(current, found)
    const result: Result = await callToken(own, found, input)
    trail = own.trail
    return await text(result)
  } catch (error) {
    // Either the call succeeded and its answer is too large, or it is part of a batch.
    if (trail === undefined && call.trail !== undefined && found !== undefined) trail = withTrail(call, found).trail
    trail?.failed(error)
    throw error
  }
}

/** Checks whether a method can be called by id: one of an account, without its own credentials; batches cannot be nested. */
function canBeNamed<D>(found: Method<D>, { transport }: Origin): found is TokenMethod<D> | OpenMethod<D> {
  if (found.scope === 'platform') return false
  return found.notInBatch !== true || (found.id === 'callBatch' && transport !== 'batch')
}

const MAX_NAME_LENGTH = 60

/** Shortens a client's method id for an error message. */
const nameOf = (id: string): string => (id.length > MAX_NAME_LENGTH ? `${id.slice(0, MAX_NAME_LENGTH)}…` : id)
