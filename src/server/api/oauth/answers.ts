/** Response formats of OAuth (docs/interface/oauth.md). */
import * as z from 'zod'
import type { Context } from '../../call/context.js'
import { addQuery } from '../../base/addQuery.js'
import type { Answer, AnswerKind, Protocol } from '../../call/protocol.js'
import { OAuthError, oauthErrorOf, oauthErrors, type OAuthErrorName } from './errors.js'
import { issuerOf } from './issuer.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Prevents caching: most responses hold credentials (RFC 6749, 5.1). */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** Returns an uncacheable JSON response. */
export const jsonAnswer = (body: object, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'Content-Type': JSON_TYPE, ...NO_STORE, ...headers },
  text: JSON.stringify(body),
})

/** Returns a public JSON response that may be cached for some seconds. */
export const publicAnswer = (body: object, seconds: number): Answer => ({
  status: 200,
  headers: { 'Content-Type': JSON_TYPE, 'Cache-Control': `public, max-age=${seconds}` },
  text: JSON.stringify(body),
})

/** Redirects the browser. */
export const redirectAnswer = (location: string): Answer => ({
  status: 302,
  headers: { Location: location, ...NO_STORE, 'Referrer-Policy': 'no-referrer' },
  text: '',
})

/** Returns an HTML error page, used when the redirect URI is not trusted. */
export const htmlAnswer = (status: number, title: string, text: string): Answer => ({
  status,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    ...NO_STORE,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  },
  text:
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>` +
    `<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>\n`,
})

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Returns the final redirect to the client, with the result, its state and the issuer (RFC 9207). */
export function backToClient(
  node: Context,
  { redirectUri, state }: { redirectUri: string; state?: string | undefined },
  outcome: { code: string } | { error: OAuthErrorName; error_description?: string },
): string {
  const parameters = Object.entries({ ...outcome, ...(state === undefined ? {} : { state }), iss: issuerOf(node) })
  return addQuery(redirectUri, parameters)
}

const described = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `; caused by ${described(error.cause)}`
  return (error.stack ?? error.message) + cause
}

/** Returns the error response for a thrown value. Server errors are logged, without details in the response. */
export function errorAnswer(node: Context, error: unknown, serverErrorText = 'The server could not process this request.'): Answer {
  const known = oauthErrorOf(error)
  if (known === undefined) {
    node.log.error('an OAuth request failed unexpectedly', {
      error: described(error),
    })
  }
  const { error: name, description, status, challenge, retryAfterSeconds } = known ?? new OAuthError('server_error', serverErrorText)
  const headers: Record<string, string> = {
    ...(challenge === undefined ? {} : { 'WWW-Authenticate': challenge }),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  }
  return jsonAnswer({ error: name, error_description: description }, status, headers)
}

const names = Object.keys(oauthErrors) as [OAuthErrorName, ...OAuthErrorName[]]

const ErrorBody = z.object({
  error: z.enum(names).describe('Error code of RFC 6749.'),
  error_description: z.string().optional().describe('Explanation for developers.'),
})

const errorKind = (description: string): AnswerKind => ({ description, type: 'application/json', schema: ErrorBody })

/** Error responses of JSON methods, for the documentation. */
export const jsonErrors: Protocol['answers'] = {
  400: errorKind('The request is invalid.'),
  401: errorKind('Authentication failed.'),
  403: errorKind('Refused.'),
  413: errorKind('The body is too large.'),
  500: errorKind('The server could not process the request.'),
  503: errorKind('The store is temporarily read-only, or the other cores of the platform cannot be reached.'),
}
