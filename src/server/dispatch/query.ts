/** Parses parameters from query strings (docs/interface/conventions.md#query-strings). */
import { readFields } from '../base/fields.js'
import type { Coercion, Method } from '../call/method.js'
import { readParameterNames } from './readParameters.js'

/**
 * Returns query parameters, coerced as the method defines: invalid values stay text, and validation rejects them. Names with
 * brackets become lists and objects (fields.ts). Omits `auth`, and parameters that a read ignores.
 * @throws Failure `invalid-parameters-format` for malformed brackets and too long lists
 */
export function queryParameters(method: Method, query: string): Record<string, unknown> {
  if (query === '') return Object.create(null) as Record<string, unknown>
  const { verb, query: coercion = {} } = method.http
  const names = readParameterNames(method)
  const isAccepted = (name: string, key: string): boolean => key !== 'auth' && (names === undefined || names.has(name))
  const parameters = readFields(new URLSearchParams(query), isAccepted, verb === 'GET' && names === undefined ? 'keep' : 'refuse')
  for (const name in coercion) {
    const value = parameters[name]
    if (typeof value === 'string') parameters[name] = coerced(value, coercion[name])
  }
  return parameters
}

function coerced(text: string, as: Coercion[string] | undefined): unknown {
  if (as === 'array') return [text]
  if (as === 'number') {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    return Number.isFinite(number) ? number : text
  }
  if (as === 'boolean') {
    const lower = text.toLowerCase()
    return lower === 'true' ? true : lower === 'false' ? false : text
  }
  return text
}

interface QueryReader {
  /** Returns the parameters of a query string for a method. Repeated queries return the same frozen object. */
  parametersOf(method: Method, query: string): Readonly<Record<string, unknown>>
}

/** Per method. */
const MAX_CACHED = 500
const MAX_CACHED_LENGTH = 200

/** Creates a reader that caches the parameters of short queries, since polling clients repeat them. */
export function createQueryReader(): QueryReader {
  const stored = new Map<Method, Map<string, Readonly<Record<string, unknown>>>>()
  return {
    parametersOf(method, query) {
      // Tokens are not cached.
      if (query.length > MAX_CACHED_LENGTH || query.includes('auth')) return queryParameters(method, query)
      let ofMethod = stored.get(method)
      if (ofMethod === undefined) stored.set(method, (ofMethod = new Map()))
      const known = ofMethod.get(query)
      if (known !== undefined) return known
      const parameters = Object.freeze(queryParameters(method, query))
      if (ofMethod.size >= MAX_CACHED) ofMethod.clear()
      ofMethod.set(query, parameters)
      return parameters
    },
  }
}
