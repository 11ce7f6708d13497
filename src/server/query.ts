/** Parameters from a query string (data supplement 1.6). */
import type { Coercion, Method } from './method.js'

/**
 * Query parameters, coerced as a method lists them: what cannot be coerced stays text, and validation answers. A name
 * with `[]` is that of an array; other brackets make an object, which no parameter accepts. `auth` is left out.
 */
export function queryParameters(query: string, coercion: Coercion = {}): Record<string, unknown> {
  const parameters: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if (query === '') return parameters
  for (const [key, text] of new URLSearchParams(query)) {
    if (key === 'auth') continue
    const bracket = key.indexOf('[')
    const name = bracket > 0 && key.endsWith(']') ? key.slice(0, bracket) : key
    const inner = name === key ? '' : key.slice(bracket)
    const former = parameters[name]
    if (inner !== '' && inner !== '[]') parameters[name] = { [inner]: text }
    else if (Array.isArray(former)) former.push(coerced(text, coercion[name]))
    else if (coercion[name] === 'array' || inner === '[]') parameters[name] = [text]
    else if (former !== undefined) parameters[name] = [former, text]
    else parameters[name] = coerced(text, coercion[name])
  }
  return parameters
}

function coerced(text: string, as: Coercion[string] | undefined): unknown {
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

export interface QueryReader {
  /** The parameters of a query string for a method. What is asked again comes back as the same frozen object. */
  parametersOf(method: Method, query: string): Readonly<Record<string, unknown>>
}

/** Of each method. */
const MOST_KEPT = 500
const LONGEST_KEPT = 200

/** Reads query strings, and keeps what it read of short ones: clients that poll repeat theirs. */
export function createQueryReader(): QueryReader {
  const kept = new Map<Method, Map<string, Readonly<Record<string, unknown>>>>()
  return {
    parametersOf(method, query) {
      // Tokens are not kept where nobody looks after them.
      if (query.length > LONGEST_KEPT || query.includes('auth')) return queryParameters(query, method.query)
      let ofMethod = kept.get(method)
      if (ofMethod === undefined) kept.set(method, (ofMethod = new Map()))
      const known = ofMethod.get(query)
      if (known !== undefined) return known
      const parameters = Object.freeze(queryParameters(query, method.query))
      if (ofMethod.size >= MOST_KEPT) ofMethod.clear()
      ofMethod.set(query, parameters)
      return parameters
    },
  }
}
