/** OAuth errors (docs/interface/oauth.md): names, statuses, and mapping of API failures. */
import { Failure, type FailureId } from '../../../store/model/failure.js'

/** HTTP status of each protocol error. */
export const oauthErrors = {
  access_denied: 403,
  invalid_client: 401,
  invalid_dpop_proof: 400,
  invalid_grant: 400,
  invalid_request: 400,
  invalid_scope: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
} as const

export type OAuthErrorName = keyof typeof oauthErrors

/** An OAuth error response. `description` is for developers and holds no secrets; characters outside its charset are replaced. */
export class OAuthError extends Error {
  readonly description: string

  constructor(
    readonly error: OAuthErrorName,
    description: string,
    readonly status: number = oauthErrors[error],
    /** `WWW-Authenticate` header of the response. */
    readonly challenge?: string,
    /** Seconds until a repetition may succeed. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`${error}: ${description}`)
    this.description = printable(description)
  }
}

/** Replaces all but printable ASCII without quote and backslash (RFC 6749, 5.2). */
const printable = (text: string): string =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^\x20-\x7e]/gu, '?')

/** Mapping of API failures; all others are server errors: `server_error`. */
const named: Partial<Record<FailureId, OAuthErrorName>> = {
  'invalid-request-structure': 'invalid_request',
  'invalid-parameters-format': 'invalid_request',
  'unsupported-content-type': 'invalid_request',
  'read-only': 'temporarily_unavailable',
  'storage-full': 'temporarily_unavailable',
  'platform-unavailable': 'temporarily_unavailable',
}

/** Returns the OAuth error for a thrown value; undefined when its text must not be disclosed. */
export function oauthErrorOf(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error
  if (!(error instanceof Failure)) return undefined
  if (error.id === 'payload-too-large') return new OAuthError('invalid_request', error.message, 413)
  const name = named[error.id]
  if (name === undefined) return undefined
  const { retryAfterSeconds } = Object(error.data) as { retryAfterSeconds?: number }
  return new OAuthError(name, error.message, oauthErrors[name], undefined, retryAfterSeconds)
}
