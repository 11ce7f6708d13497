/** API endpoints as accounts give them to each other: an address with a token in front of its host. */
import * as z from 'zod'

/** The address of an account and the token in front of it; undefined for what is no API endpoint with a token. */
export function endpointParts(endpoint: string): { base: string; token: string } | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (url.username === '' || url.search !== '' || url.hash !== '') return undefined
  let token: string
  try {
    token = decodeURIComponent(url.username)
  } catch {
    return undefined
  }
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`
  return { base: url.origin + path, token }
}

/** An API endpoint without its token: what records and answers may show. */
export function withoutToken(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint
  const url = new URL(endpoint)
  url.username = ''
  url.password = ''
  return url.href
}

/** An API endpoint with a token, as the other side gives it. */
export const Endpoint = z
  .string()
  .max(2048)
  .refine((text) => endpointParts(text) !== undefined, { error: 'This is no API endpoint with a token.' })
