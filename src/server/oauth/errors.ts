/** Error answers of OAuth (consent supplement 4, 10.4): their names, their statuses, and what failures become. */
import { Failure, type FailureId } from '../../store/model/failure.js'

/** Every error of the protocol that is answered here, with its status. */
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

/** An error answer of OAuth. `description` is for developers and tells no secrets; characters it cannot have are replaced. */
export class OAuthError extends Error {
  readonly description: string

  constructor(
    readonly error: OAuthErrorName,
    description: string,
    readonly status: number = oauthErrors[error],
    /** `WWW-Authenticate` of the answer. */
    readonly challenge?: string,
  ) {
    super(`${error}: ${description}`)
    this.description = printable(description)
  }
}

/** RFC 6749, 5.2: printable ASCII without the quote and the backslash. */
const printable = (text: string): string =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^\x20-\x7e]/gu, '?')

/** What failures of the interface are called here. All others are no client's doing: `server_error`. */
const named: Partial<Record<FailureId, OAuthErrorName>> = {
  'invalid-request-structure': 'invalid_request',
  'invalid-parameters-format': 'invalid_request',
  'unsupported-content-type': 'invalid_request',
  'read-only': 'temporarily_unavailable',
  'storage-full': 'temporarily_unavailable',
}

/** What something that was thrown is answered with; undefined when its text must not be told. */
export function oauthErrorOf(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error
  if (!(error instanceof Failure)) return undefined
  if (error.id === 'payload-too-large') return new OAuthError('invalid_request', error.message, 413)
  const name = named[error.id]
  return name === undefined ? undefined : new OAuthError(name, error.message)
}
