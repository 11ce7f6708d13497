import { setImmediate as yieldTurn } from 'node:timers/promises'
import * as z from 'zod'
import { invalidFormat } from '../../store/model/failure.js'
import { createYielder } from '../../store/engine/yield.js'
import { asFailure } from './call.js'
import { dispatchById, methodsById } from './dispatch.js'
import { deferralCount } from '../call/json/largeJsonThread.js'
import { anyAccess } from '../call/callers.js'
import { method, type Call, type Method, type TokenMethod } from '../call/method.js'
import { RawJson } from '../call/results.js'

/** Number of calls, and milliseconds, before a batch yields to the event loop. */
const TURN = 50
const TURN_MS = 5

/** Maximum of the setting `limits.batch.maxCalls`. */
const MAX_CALLS = 1_000_000

const Calls = z.array(z.object({
  method: z.string().describe('Id of the method.'),
  params: z.unknown().describe('Its parameters: an object, or a list for callBatch itself.'),
})).max(MAX_CALLS)

/** Returns the batch method over a list of methods (docs/interface/conventions.md#batch). */
export function callBatch<D>(methods: () => readonly Method<D>[]): TokenMethod<D> {
  let byId: Map<string, Method<D>> | undefined
  return method({
    id: 'callBatch',
    summary: 'Runs several calls in order; a failure does not stop the rest.',
    http: { verb: 'POST', path: '/' },
    caller: anyAccess,
    input: Calls,
    maxItems: ({ config }) => config.get('limits.batch.maxCalls'),
    output: () => z.object({
      results: z.array(z.record(z.string(), z.unknown())).describe('The result or {"error"} of each call, in their order.'),
    }),
    notInBatch: true,
    fails: ['invalid-parameters-format'],
    async run(call: Call<D>, calls) {
      byId ??= methodsById(methods())
      assertParams(calls)
      const { trail } = call
      trail?.setCallCount(calls.length)
      const origin = { ...call.origin, transport: 'batch' as const }
      const inner: Call<D> = { ...call, origin, trail: trail?.isOfWholeBatch === true ? trail : undefined }
      const results: Promise<string>[] = []
      const pause = createYielder(TURN_MS)
      for (const [at, { method: id, params }] of calls.entries()) {
        const found = byId.get(id)
        const deferred = deferralCount()
        const entry = runOne(inner, id, found, params)
        results.push(entry)
        // Synchronous calls continue at once and share a commit; others wait until earlier calls are committed. A synchronous call with
        // large values may wait for the thread.
        if (found?.synchronous !== true || calls[at + 1] === undefined || deferralCount() !== deferred) await Promise.all(results)
        else if (!isSynchronous(byId.get(calls[at + 1]?.method ?? ''))) await Promise.all(results)
        else if (at % TURN === TURN - 1) await yieldTurn()
        else {
          const due = pause()
          if (due !== undefined) await due
        }
      }
      return { results: new RawJson(`[${(await Promise.all(results)).join(',')}]`) }
    },
  })
}

const isSynchronous = (one: Pick<Method, 'synchronous'> | undefined): boolean => one?.synchronous === true

function assertParams(calls: { params?: unknown }[]): void {
  const at = calls.findIndex(({ params }) => typeof params !== 'object' || params === null)
  if (at < 0) return
  const missing = calls[at]?.params === undefined
  throw invalidFormat([
    missing
      ? {
          code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
          message: 'Missing required property: params',
          path: `#/${at}/`,
          params: ['params'],
        }
      : { code: 'INVALID_TYPE', message: 'params must be an object or an array.', path: `#/${at}/params` },
  ])
}

/** Runs one call of a batch; returns its result or failure as JSON text. Never rejects. */
async function runOne<D>(call: Call<D>, id: string, found: Method<D> | undefined, params: unknown): Promise<string> {
  try {
    return await dispatchById(call, id, found, params)
  } catch (error) {
    return `{"error":${JSON.stringify(asFailure(call.node, id, error))}}`
  }
}
