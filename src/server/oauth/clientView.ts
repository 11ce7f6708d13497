/** Operator view of an OAuth client: with the names of RFC 7591, thumbprints instead of keys, and no secrets. */
import { readUser } from '../../store/accounts/users.js'
import type { Context } from '../context.js'
import { thumbprint } from '../proofs/key.js'
import { appAccountOf, type OAuthClient } from './clients.js'

export async function clientView(node: Context, client: OAuthClient): Promise<Record<string, unknown>> {
  const app = await appAccountOf(node, client)
  const { clientSecretHash, jwks, cmcOffers } = client
  const offers = Object.entries(cmcOffers).map(([name, { capabilityUrl }]) => [name, { capabilityUrl: hidden(capabilityUrl) }])
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    scope: client.scope.join(' '),
    token_endpoint_auth_method: jwks !== undefined ? 'private_key_jwt' : clientSecretHash !== undefined ? 'client_secret_basic' : 'none',
    has_secret: clientSecretHash !== undefined,
    ...(client.clientUri === undefined ? {} : { client_uri: client.clientUri }),
    ...(client.logoUri === undefined ? {} : { logo_uri: client.logoUri }),
    ...(client.applicationType === undefined ? {} : { application_type: client.applicationType }),
    ...(jwks === undefined ? {} : { keys: jwks.keys.map((key) => ({ kid: key.kid ?? null, thumbprint: thumbprint(key) })) }),
    account_user_id: client.accountUserId ?? null,
    username: app === undefined ? null : (readUser(node.store.db, app.account.prefix)?.username ?? null),
    cmc_offers: Object.fromEntries(offers) as unknown,
    updated_at: client.updatedAt,
  }
}

/** Returns the URL of an offer without its token. */
export function hidden(capabilityUrl: string): string {
  const url = new URL(capabilityUrl)
  return `${url.protocol}//•••@${url.host}${url.pathname}`
}
