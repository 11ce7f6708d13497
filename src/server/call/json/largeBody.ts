/** Parses large JSON bodies without blocking other requests: splits them in a thread, and reassembles them here. */
import { createYielder } from '../../../store/engine/yield.js'
import { PointColumns } from '../../../store/model/flatJson.js'
import { JsonText } from '../../../store/model/jsonText.js'
import { Failure } from '../../../store/model/failure.js'
import type { Method } from '../method.js'
import type { Split, SplitPlan, ExtractedValue } from './split.js'
import { inThread } from './largeJsonThread.js'

/** Bodies of at least this many bytes are split in the thread; smaller ones take a few milliseconds to parse. */
export const MIN_LARGE_BYTES = 128 * 1024
const SLICE_MS = 5

/** Returns the plan for splitting the body of a call of `method`. `methods` are those that a batch may call. */
export function splitPlan(method: Method, methods: readonly Method[], maxCalls: number): SplitPlan {
  if (method.id !== 'callBatch') return { kind: 'parameters', freeForm: method.freeForm ?? {} }
  const freeForm: Extract<SplitPlan, { kind: 'batch' }>['freeForm'] = Object.fromEntries(
    methods.flatMap(({ id, freeForm: own, http: { body } }) => (own === undefined ? [] : [[id, { ...own, ...(body === undefined ? {} : { under: body }) }]])),
  )
  return { kind: 'batch', freeForm, maxItems: maxCalls }
}

/**
 * Parses a large body; free-form values become JsonText. `bytes` cannot be used afterwards.
 * @throws Failure `invalid-request-structure`; `payload-too-large` when validation would take too much time or memory
 */
export async function parseLargeBody(bytes: Uint8Array, plan: SplitPlan): Promise<unknown> {
  const result = await inThread({ kind: 'split', bytes, plan })
  if ('refused' in result) throw new Failure(result.refused.id, result.refused.message, result.refused.data)
  if ('parameters' in result) return assembled(result.parameters)
  const calls: unknown[] = []
  const pause = createYielder(SLICE_MS)
  for (const call of result.calls) {
    calls.push(typeof call === 'string' ? JSON.parse(call) : assembled(call))
    const due = pause()
    if (due !== undefined) await due
  }
  return calls
}

/** Puts the extracted values back in their places, as JsonText or PointColumns. */
function assembled({ value, extracted }: Split): unknown {
  for (const one of extracted) {
    let holder = value as Record<string, unknown>
    for (const key of one.path.slice(0, -1)) holder = Object.getOwnPropertyDescriptor(holder, key)?.value as Record<string, unknown>
    // Defined as own member, even if its key is __proto__.
    Object.defineProperty(holder, one.path.at(-1) ?? '', { value: valueOf(one), enumerable: true, configurable: true, writable: true })
  }
  return value
}

function valueOf(extracted: ExtractedValue): JsonText | PointColumns {
  if ('text' in extracted) return new JsonText(extracted.text, extracted.stable ?? extracted.text)
  const { count, columns, unfit } = extracted.points
  return new PointColumns(count, columns, unfit)
}
