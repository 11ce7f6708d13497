/** Parameters from a query string (data supplement 1.6). */
import type { Coercion } from './method.js'

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
