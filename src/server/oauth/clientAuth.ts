/** Who asks for tokens: how clients authenticate at the token endpoint (consent supplement 4.7). */
import type { PlatformCall } from '../method.js'
import type { Node } from '../node.js'
import { textOf, type OAuthParameters } from './parameters.js'
import { assertsClient, ASSERTION_TYPE } from './assertion.js'
import { isConfidential, secretMatches, type OAuthClient } from './clients.js'
import { OAuthError } from './errors.js'

/** What a client shows of itself. */
export interface ClientCredentials {
  /** Of the body, else of the Basic header: a client that authenticates need not say who it is twice (RFC 6749, 4.1.3). */
  clientId?: string | undefined
  basicId?: string
  /** Of the Basic header, else of the body. */
  secret?: string | undefined
  /** A signed statement; it counts before a secret. */
  assertion?: { type: string | undefined; text: string | undefined }
  /** `WWW-Authenticate` of a refusal: a client that came with the header is answered in kind (RFC 6749, 5.2). */
  challenge?: string
}

/** Reads what a client shows. Throws OAuthError `invalid_request`. */
export function clientCredentialsOf({ node, authorization }: PlatformCall, input: OAuthParameters): ClientCredentials {
  const basic = basicOf(authorization)
  const displayed: ClientCredentials = {
    clientId: textOf(input, 'client_id') ?? basic?.id,
    secret: basic === undefined ? textOf(input, 'client_secret') : basic.secret,
  }
  const [type, text] = [textOf(input, 'client_assertion_type'), textOf(input, 'client_assertion')]
  if (type !== undefined || text !== undefined) displayed.assertion = { type, text }
  if (basic !== undefined) {
    displayed.basicId = basic.id
    displayed.challenge = `Basic realm="${node.config.get('service.name').replace(/["\\]/g, '\\$&')}"`
  }
  return displayed
}

/** The refusal of a client that is not who it says. */
export const invalidClient = ({ challenge }: ClientCredentials, text = 'client authentication failed'): OAuthError =>
  new OAuthError('invalid_client', text, undefined, challenge)

/** Refuses a client whose header names another one than its body. */
export function assertSameBasicId(displayed: ClientCredentials): void {
  if (displayed.basicId !== undefined && displayed.basicId !== displayed.clientId) throw invalidClient(displayed)
}

/**
 * Lets a client pass that proves to be the registered one. Public clients have nothing to prove, nor have ids that are
 * not registered.
 * @throws OAuthError `invalid_client`
 */
export async function authenticateClient(node: Node, client: OAuthClient | undefined, displayed: ClientCredentials): Promise<void> {
  const { assertion, secret } = displayed
  if (assertion !== undefined) {
    const { type, text } = assertion
    const isIt = type === ASSERTION_TYPE && text !== undefined && client !== undefined && (await assertsClient(node, client, text))
    if (!isIt) throw invalidClient(displayed)
    return
  }
  if (client === undefined || !isConfidential(client)) return
  if (secret === undefined) throw invalidClient(displayed, 'client authentication required')
  if (!(await secretMatches(client, secret))) throw invalidClient(displayed)
}

/** The id and secret of a Basic header; undefined for another header, and for one that is malformed. */
function basicOf(authorization: string | undefined): { id: string; secret: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization?.trim() ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon <= 0) return undefined
  const [id, secret] = [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))]
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** Both are encoded like the fields of a form (RFC 6749, 2.3.1). */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
