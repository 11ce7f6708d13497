/** Parses API endpoints exchanged between accounts: a URL with a token before its host. */
import * as z from 'zod'

/** Splits an API endpoint into URL and token; undefined when it is not one or has no token. */
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

/** Returns an API endpoint without its token, for logs and responses. */
export function withoutToken(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint
  const url = new URL(endpoint)
  url.username = ''
  url.password = ''
  return url.href
}

/** Schema of an API endpoint with a token. */
export const Endpoint = z
  .string()
  .max(2048)
  .refine((text) => endpointParts(text) !== undefined, { error: 'This is not an API endpoint with a token.' })
