/** Operator view of an OAuth client: with the names of RFC 7591, thumbprints instead of keys, and no secrets. */
import * as z from 'zod'
import { readUser } from '../../../store/accounts/users.js'
import type { Context } from '../../call/context.js'
import { thumbprint } from '../../auth/dpop/key.js'
import { appAccountOf, type OAuthClient } from './clients.js'

export const ClientView = z.object({
  client_id: z.string().describe('Id of the client.'),
  client_name: z.string().describe('Name for users.'),
  redirect_uris: z.array(z.string()).describe('Addresses to which users may return.'),
  grant_types: z.array(z.string()).describe('Grant types.'),
  scope: z.string().describe('Scopes that it may request, separated by blanks.'),
  token_endpoint_auth_method: z.enum(['private_key_jwt', 'client_secret_basic', 'none']).describe('Authentication of the client.'),
  has_secret: z.boolean().describe('true when it has a secret.'),
  client_uri: z.string().optional().describe('Web page.'),
  logo_uri: z.string().optional().describe('Address of the logo.'),
  application_type: z.enum(['web', 'native']).optional().describe('web or native.'),
  keys: z.array(
    z.object({ kid: z.string().nullable().describe('Id of the key; null for none.'), thumbprint: z.string().describe('Thumbprint (RFC 7638).') }),
  ).optional().describe('Public keys of the client.'),
  account_user_id: z.string().nullable().describe('Id of the app account; null for none.'),
  username: z.string().nullable().describe('User name of the app account; null for none.'),
  cmc_offers: z.record(z.string(), z.object({ capabilityUrl: z.string().describe('Link, without its token.') })).describe('Consent offers, by name.'),
  updated_at: z.number().describe('Time of the last change, in milliseconds since 1970.'),
})

export async function clientView(node: Context, client: OAuthClient): Promise<z.output<typeof ClientView>> {
  const app = await appAccountOf(node, client)
  const { clientSecretHash, jwks, cmcOffers } = client
  const offers = Object.entries(cmcOffers).map(([name, { capabilityUrl }]) => [name, { capabilityUrl: hidden(capabilityUrl) }] as const)
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
    cmc_offers: Object.fromEntries(offers),
    updated_at: client.updatedAt,
  }
}

/** Returns the URL of an offer without its token. */
export function hidden(capabilityUrl: string): string {
  const url = new URL(capabilityUrl)
  return `${url.protocol}//•••@${url.host}${url.pathname}`
}
