/**
 * The grant `refresh_token` (docs/interface/oauth.md#refresh): each use rotates the token, and reuse revokes the token family.
 */
import { findAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf, isExpired } from '../../../store/model/access.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { terminalCall } from '../../dispatch/terminalCaller.js'
import { required } from './parameters.js'
import { recordOf } from './audit.js'
import { revokeTokenFamily } from './revokeTokenFamily.js'
import { authenticateClient, assertSameBasicId } from './clientAuth.js'
import { findClient } from './clients.js'
import { noteKey } from './dpopKeys.js'
import { OAuthError } from './errors.js'
import { accountOf } from './grant.js'
import { consumeRefresh, issueRefresh, type TokenFamily } from './refresh.js'
import { endSession, grantsAnything, createSession, sessionPermissions } from './sessions.js'
import { clientIdOf, consentRevoked, assertClientNotRevoked, tokenSet, type TokenRequest, type TokenSet } from './tokenRequest.js'
import { intersectWithConsent } from './intersectWithConsent.js'
import type { ConsentDeps } from '../consents/service.js'

/**
 * Refreshes an access. The token is consumed before any other check.
 * @throws OAuthError
 */
export async function grantRefreshToken(request: TokenRequest): Promise<TokenSet> {
  const { call, parameters: input, clientCredentials: credentials, jkt } = request
  const { node, origin } = call
  const token = required(input, 'refresh_token')
  const clientId = clientIdOf(credentials)
  const consumed = await consumeRefresh(node, token)
  if (consumed.outcome === 'late') await revokeTokenFamily(node, origin, consumed.chain)
  if (consumed.outcome !== 'taken') throw new OAuthError('invalid_grant', 'refresh_token is invalid or already used')
  const { chain } = consumed
  if (clientId !== chain.clientId) throw new OAuthError('invalid_grant', 'client_id does not match')
  assertSameBasicId(credentials)
  await authenticateClient(node, await findClient(node, clientId), credentials)
  const loaded = await accountOf(node, chain)
  if (loaded === undefined) throw consentRevoked()
  if (chain.dpopJkt !== jkt) {
    recordOf(node, loaded.account, 'oauth.token.dpop_mismatch', origin, clientId, chain.dataGrantAccessId)
    throw new OAuthError('invalid_dpop_proof', 'DPoP proof verification failed')
  }
  if (chain.absoluteExpiresAt <= node.clock.now()) throw new OAuthError('invalid_grant', 'the grant has ended')
  await assertClientNotRevoked(node, chain)
  const live = await renewed(request, loaded, chain)
  const refreshToken = await issueRefresh(node, chain).catch(async (error: unknown) => {
    await endSession(node, chain, live.access.id)
    throw error
  })
  if (jkt !== undefined) await noteKey(node, { clientId, jkt })
  recordOf(node, loaded.account, 'oauth.token.refreshed', origin, clientId, accessIdOf(live.access))
  return tokenSet(node, loaded, live, { scope: chain.scope, refreshToken, jkt })
}

/** Creates a session with the chosen permissions that the consent still grants, read in the same transaction. */
async function renewed({ call: { node } }: TokenRequest, loaded: LoadedAccount, chain: TokenFamily): Promise<LiveAccess> {
  const { account } = loaded
  await account.settledStructure()
  return writeWithinQuota(terminalCall<ConsentDeps>(node, loaded), (t) => {
    const consent = findAccess(t, node.store.seal, t.account, chain.dataGrantAccessId)
    if (consent === undefined || isExpired(consent.access, node.clock.now())) throw consentRevoked()
    const permissions = intersectWithConsent(consent.access, chain.permissions, account.tree)
    if (!grantsAnything(permissions)) throw consentRevoked()
    const { clientId, dpopJkt } = chain
    return createSession(terminalCall<ConsentDeps>(node, loaded), t, { clientId, permissions: sessionPermissions(permissions), jkt: dpopJkt, consent: consent.access.id })
  })
}
