/**
 * The grant `client_credentials` (docs/interface/oauth.md#client-credentials): access of a confidential client to its own
 * account.
 */
import { accessIdOf } from '../../../store/model/access.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { terminalCall } from '../../dispatch/terminalCaller.js'
import { textOf } from './parameters.js'
import { recordOf } from './audit.js'
import { authenticateClient, invalidClient } from './clientAuth.js'
import { appAccountOf, findClient, isConfidential, type OAuthClient } from './clients.js'
import { OAuthError } from './errors.js'
import { isOfferScope, scopesIn } from './scopes.js'
import { createSession } from './sessions.js'
import { tokenSet, type TokenRequest, type TokenSet } from './tokenRequest.js'
import type { ConsentDeps } from '../consents/service.js'

/**
 * Issues an access to the client's own account. See docs/interface/oauth.md#client-credentials.
 * @throws OAuthError
 */
export async function grantClientCredentials({ call, parameters: input, clientCredentials: credentials, jkt }: TokenRequest): Promise<TokenSet> {
  const { node, origin } = call
  if (jkt !== undefined) throw new OAuthError('invalid_request', 'client_credentials takes no DPoP proof')
  // Here, the header takes precedence over the body.
  const clientId = credentials.basicId ?? credentials.clientId
  if (clientId === undefined) throw invalidClient(credentials, 'client authentication required')
  const client = await findClient(node, clientId)
  if (client === undefined) throw invalidClient(credentials)
  if (!isConfidential(client)) throw invalidClient(credentials, 'this client has no secret; the operator can create one with rotate-secret')
  if (!client.grantTypes.includes('client_credentials')) {
    throw new OAuthError('unauthorized_client', 'this client is not registered for client_credentials')
  }
  if (client.accountUserId === undefined) throw new OAuthError('server_error', 'this client has no account')
  await authenticateClient(node, client, credentials)
  const scope = grantedScope(client, textOf(input, 'scope'))
  const loaded = await appAccountOf(node, client)
  if (loaded === undefined) {
    throw node.registry.isShared
      ? new OAuthError('invalid_grant', 'the account of this client is not on this core')
      : new OAuthError('server_error', 'the account of this client is gone')
  }
  const owner = terminalCall<ConsentDeps>(node, loaded)
  const live = await writeWithinQuota(owner, (t) => createSession(owner, t, { clientId, permissions: [{ streamId: '*', level: 'manage' }] }))
  recordOf(node, loaded.account, 'oauth.token.issued.client_credentials', origin, clientId, accessIdOf(live.access))
  return tokenSet(node, loaded, live, { scope, jkt: undefined })
}

/** Returns the requested scopes, or all registered ones; they are labels only and never include consents. */
function grantedScope({ scope: registered }: OAuthClient, input: string | undefined): string {
  const wanted = scopesIn(input)
  for (const scope of wanted) {
    if (isOfferScope(scope)) throw new OAuthError('invalid_scope', `The scope "${scope}" needs the consent of a person.`)
    if (!registered.includes(scope)) throw new OAuthError('invalid_scope', `The scope "${scope}" is not registered for this client.`)
  }
  return (wanted.length > 0 ? wanted : registered.filter((scope) => !isOfferScope(scope))).join(' ')
}
