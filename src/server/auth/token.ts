/** Extracts the token of a request, in the order of docs/interface/conventions.md#authentication. */
import { Failure } from '../../store/model/failure.js'

export interface Credentials {
  token: string
  /** The text after the token: recorded with it in tracking fields. */
  callerId?: string
  /** True when the token was sent with the `DPoP` scheme. */
  isDpop?: true
  /** True for a read token. */
  isRead?: true
}

/** Reads `Authorization`, otherwise the `auth` query parameter. Undefined when there is no token. */
export function credentialsOf(authorization: string | undefined, auth: string | undefined): Credentials | undefined {
  const header = authorization?.trim()
  if (header === undefined || header === '') return auth === undefined || auth === '' ? undefined : { token: auth }
  const space = header.indexOf(' ')
  if (space < 0) return /^(basic|bearer|dpop)$/i.test(header) ? undefined : { token: header }
  const scheme = header.slice(0, space).toLowerCase()
  const rest = header.slice(space + 1).trim()
  if (scheme === 'basic') return basic(rest)
  if (scheme === 'bearer') return splitCaller(rest)
  if (scheme === 'dpop') return byProof(splitCaller(rest))
  return splitCaller(header)
}

/** Returns the token in a query string; the first of several. */
export function authOf(query: string): string | undefined {
  return query.includes('auth=') ? (new URLSearchParams(query).get('auth') ?? undefined) : undefined
}

function splitCaller(text: string): Credentials | undefined {
  if (text === '') return undefined
  const space = text.indexOf(' ')
  if (space < 0) return { token: text }
  const callerId = text.slice(space + 1).trim()
  return callerId === '' ? { token: text.slice(0, space) } : { token: text.slice(0, space), callerId }
}

const byProof = (found: Credentials | undefined): Credentials | undefined =>
  found === undefined ? undefined : { ...found, isDpop: true }

function basic(encoded: string): Credentials | undefined {
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const token = colon < 0 ? text : text.slice(0, colon)
  if (token !== '') return { token }
  if (colon >= 0 && colon < text.length - 1) {
    // The token was sent as the password, which is not accepted.
    throw new Failure('invalid-access-token', undefined, undefined, 'refused')
  }
  return undefined
}
