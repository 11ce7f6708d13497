/** Client authentication at the token endpoint (docs/interface/oauth.md#tokens). */
import type { PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { textOf, type OAuthParameters } from './parameters.js'
import { assertsClient, ASSERTION_TYPE } from './assertion.js'
import { isConfidential, secretMatches, type OAuthClient } from './clients.js'
import { OAuthError } from './errors.js'

/** Credentials sent by a client. */
export interface ClientCredentials {
  /** Client id from the body, else from the Basic header (RFC 6749, 4.1.3). */
  clientId?: string | undefined
  basicId?: string
  /** Secret from the Basic header, else from the body. */
  secret?: string | undefined
  /** Signed assertion; takes precedence over a secret. */
  assertion?: { type: string | undefined; text: string | undefined }
  /** `WWW-Authenticate` of a rejection, for clients that used the header (RFC 6749, 5.2). */
  challenge?: string
}

/**
 * Reads the credentials of a client.
 * @throws OAuthError `invalid_request`
 */
export function clientCredentialsOf({ node, authorization }: PlatformCall, input: OAuthParameters): ClientCredentials {
  const basic = basicOf(authorization)
  const credentials: ClientCredentials = {
    clientId: textOf(input, 'client_id') ?? basic?.id,
    secret: basic === undefined ? textOf(input, 'client_secret') : basic.secret,
  }
  const [type, text] = [textOf(input, 'client_assertion_type'), textOf(input, 'client_assertion')]
  if (type !== undefined || text !== undefined) credentials.assertion = { type, text }
  if (basic !== undefined) {
    credentials.basicId = basic.id
    credentials.challenge = `Basic realm="${node.config.get('service.name').replace(/["\\]/g, '\\$&')}"`
  }
  return credentials
}

/** Returns the failure of client authentication. */
export const invalidClient = ({ challenge }: ClientCredentials, text = 'client authentication failed'): OAuthError =>
  new OAuthError('invalid_client', text, undefined, challenge)

/** Rejects requests whose Basic header and body name different clients. */
export function assertSameBasicId(credentials: ClientCredentials): void {
  if (credentials.basicId !== undefined && credentials.basicId !== credentials.clientId) throw invalidClient(credentials)
}

/**
 * Authenticates the registered client. Public and unregistered clients have nothing to authenticate with and pass.
 * @throws OAuthError `invalid_client`
 */
export async function authenticateClient(node: Context, client: OAuthClient | undefined, credentials: ClientCredentials): Promise<void> {
  const { assertion, secret } = credentials
  if (assertion !== undefined) {
    const { type, text } = assertion
    const isIt = type === ASSERTION_TYPE && text !== undefined && client !== undefined && (await assertsClient(node, client, text))
    if (!isIt) throw invalidClient(credentials)
    return
  }
  if (client === undefined || !isConfidential(client)) return
  if (secret === undefined) throw invalidClient(credentials, 'client authentication required')
  if (!(await secretMatches(client, secret))) throw invalidClient(credentials)
}

/** Returns the id and secret of a Basic header; undefined for other or malformed headers. */
function basicOf(authorization: string | undefined): { id: string; secret: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization?.trim() ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon <= 0) return undefined
  const [id, secret] = [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))]
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** Decodes id or secret, which are form-encoded (RFC 6749, 2.3.1). */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
