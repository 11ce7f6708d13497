/**
 * Parameters of reads. Those that a method does not know are ignored: clients add some against caches (`_=1`), and newer
 * ones send what this version does not have (specification, "Versioning").
 */
import type * as z from 'zod'
import type { Method } from './method.js'

const namesOfMethods = new WeakMap<Method, ReadonlySet<string> | null>()

/** The parameters that a read knows; undefined for methods that change something, and where every name is accepted. */
export function readParameterNames(method: Method): ReadonlySet<string> | undefined {
  if (method.http.verb !== 'GET') return undefined
  let names = namesOfMethods.get(method)
  if (names === undefined) namesOfMethods.set(method, (names = memberNames(method.input) ?? null))
  return names ?? undefined
}

/** The parameters of a call without those that its method ignores. Returns `asked` itself when there are none. */
export function withoutIgnored(method: Method, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const names = readParameterNames(method)
  if (names === undefined || Object.keys(input).every((name) => names.has(name))) return input
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)))
}

/** The members of a schema that makes nothing of others. */
function memberNames(schema: z.core.$ZodType): ReadonlySet<string> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default') return memberNames(def.innerType)
  if (def.type === 'pipe') return memberNames(def.in)
  if (def.type !== 'object' || (def.catchall !== undefined && def.catchall._zod.def.type !== 'never')) return undefined
  return new Set(Object.keys(def.shape))
}
