/** Groups API calls into batches of the size that a node accepts. */
import { Failure, failures } from '../../../../store/model/failure.js'
import type { FailureId } from '../../../../store/model/failure.js'
import { listOf, recordOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import type { Problem } from './line.js'

interface Call {
  method: string
  params: Readonly<Record<string, unknown>>
}

export interface Batches {
  /**
   * Executes calls and returns their results in the same order: the answer of the method, or `{ error }`.
   * @throws Failure after which no other call can succeed, such as a full disk
   */
  call(calls: readonly Call[]): Promise<Record_[]>
}

const fatal: ReadonlySet<string> = new Set<FailureId>(['storage-full', 'read-only', 'corrupted-data', 'unexpected-error'])

/** Failures by which a whole batch is refused: it is too long, or one of its calls is unreadable. */
const divisible: ReadonlySet<string> = new Set<FailureId>([
  'invalid-parameters-format',
  'invalid-request-structure',
  'payload-too-large',
])

/** Creates a batch caller for an account; sends `max` calls at once, or fewer when the node requires it. */
export function createBatches(client: NodeClient, as: Authority, max = 1000): Batches {
  async function call(calls: readonly Call[]): Promise<Record_[]> {
    if (calls.length === 0) return []
    if (calls.length > max) return inParts(calls, max)
    try {
      const results = listOf((await client.call('callBatch', calls, as))['results'])
      for (const { error } of results) throwFatal(recordOf(error))
      return results
    } catch (error) {
      if (!(error instanceof Failure) || !divisible.has(error.id)) throw error
      if (calls.length === 1) return [{ error: { id: error.id, message: error.message, data: error.data } }]
      const half = Math.ceil(calls.length / 2)
      if (error.id === 'invalid-parameters-format') max = half
      return inParts(calls, half)
    }
  }

  async function inParts(calls: readonly Call[], size: number): Promise<Record_[]> {
    const results: Record_[] = []
    for (let at = 0; at < calls.length; at += size) results.push(...(await call(calls.slice(at, at + size))))
    return results
  }

  return { call }
}

function throwFatal(error: Record_): void {
  const { id } = error
  if (typeof id !== 'string' || !fatal.has(id) || !isFailureId(id)) return
  throw new Failure(id, textOf(error['message']), error['data'])
}

function isFailureId(id: string): id is FailureId {
  return Object.hasOwn(failures, id)
}

/** Returns the error of a result; undefined when the call succeeded. */
export function problemOf(result: Record_): Problem | undefined {
  if (!('error' in result)) return undefined
  const { id, message, data } = recordOf(result['error'])
  return { id: textOf(id), message: textOf(message) || textOf(id), ...(data === undefined ? {} : { data }) }
}
