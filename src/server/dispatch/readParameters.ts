/**
 * Parameters of read methods. Unknown ones are ignored: clients add some against caches (`_=1`), and newer ones send parameters
 * of later versions (docs/interface/conventions.md#query-strings).
 */
import type * as z from 'zod'
import { isJsonObject } from '../../store/model/json.js'
import type { Method } from '../call/method.js'

const namesOfMethods = new WeakMap<Method, ReadonlySet<string> | null>()

/** Returns the parameters that a read accepts; undefined for methods that change data, and for those that accept all names. */
export function readParameterNames(method: Method): ReadonlySet<string> | undefined {
  if (method.http.verb !== 'GET') return undefined
  let names = namesOfMethods.get(method)
  if (names === undefined) namesOfMethods.set(method, (names = memberNames(method.input) ?? null))
  return names ?? undefined
}

/** Returns the parameters of a call without ignored ones; `input` itself when there are none. */
export function withoutIgnored(method: Method, input: unknown): unknown {
  if (!isJsonObject(input)) return input
  const names = readParameterNames(method)
  if (names === undefined || Object.keys(input).every((name) => names.has(name))) return input
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)))
}

/** Returns the members of a schema that rejects or strips others. */
function memberNames(schema: z.core.$ZodType): ReadonlySet<string> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default') return memberNames(def.innerType)
  if (def.type === 'pipe') return memberNames(def.in)
  if (def.type !== 'object' || (def.catchall !== undefined && def.catchall._zod.def.type !== 'never')) return undefined
  return new Set(Object.keys(def.shape))
}
