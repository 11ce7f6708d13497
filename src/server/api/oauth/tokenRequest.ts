/** Common request and response types of the token endpoint's grants (docs/interface/oauth.md#tokens). */
import type { LiveAccess } from '../../../store/accesses/accesses.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import type { PlatformCall } from '../../call/method.js'
import type { OAuthParameters } from './parameters.js'
import { clientRevokedAt } from './clientChanges.js'
import type { ClientCredentials } from './clientAuth.js'
import { OAuthError } from './errors.js'
import type { Grant } from './grant.js'
import type { ConsentDeps } from '../consents/service.js'

export interface TokenRequest {
  call: PlatformCall<ConsentDeps>
  parameters: OAuthParameters
  clientCredentials: ClientCredentials
  /** Thumbprint of the key that signed the request's proof. */
  jkt: string | undefined
}

/** A token response. */
export type TokenSet = {
  access_token: string
  token_type: 'Bearer' | 'DPoP'
  expires_in: number
  refresh_token?: string
  scope: string
  apiEndpoint: string
}

export function tokenSet(
  node: Context,
  { user }: LoadedAccount,
  { token }: LiveAccess,
  about: { scope: string; refreshToken?: string; jkt: string | undefined },
): TokenSet {
  const { scope, refreshToken, jkt } = about
  return {
    access_token: token.reveal(),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: node.config.get('oauth.accessTokenTTL'),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    scope,
    apiEndpoint: apiEndpoint(node, user.username, token.reveal()),
  }
}

/**
 * Returns the id of the requesting client.
 * @throws OAuthError `invalid_request`
 */
export function clientIdOf({ clientId }: ClientCredentials): string {
  if (clientId === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing.')
  return clientId
}

export const consentRevoked = (): OAuthError => new OAuthError('invalid_grant', 'consent has been revoked')

/** Rejects grants from before a revocation of the client, which new tokens would otherwise outlive. */
export async function assertClientNotRevoked(node: Context, { clientId, grantedAt }: Grant): Promise<void> {
  const revokedAt = await clientRevokedAt(node, clientId)
  if (revokedAt !== undefined && Math.floor(grantedAt * 1000) <= revokedAt) throw consentRevoked()
}
