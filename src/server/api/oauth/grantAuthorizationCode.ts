/** The grant `authorization_code` (docs/interface/oauth.md#authorization-code). */
import { findAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf } from '../../../store/model/access.js'
import { required } from './parameters.js'
import { recordOf, recordPlatformAction } from './audit.js'
import { authenticateClient, assertSameBasicId } from './clientAuth.js'
import { findClient } from './clients.js'
import { forgetCode, consumeCode, type CodeGrant } from './codes.js'
import { noteKey } from './dpopKeys.js'
import { OAuthError } from './errors.js'
import { accountOf } from './grant.js'
import { verifies } from './pkce.js'
import { issueRefresh } from './refresh.js'
import { bindSession, endSession } from './sessions.js'
import { clientIdOf, consentRevoked, assertClientNotRevoked, tokenSet, type TokenRequest, type TokenSet } from './tokenRequest.js'

/**
 * Exchanges a code. Any failure after the code is consumed ends the access created for it.
 * @throws OAuthError
 */
export async function grantAuthorizationCode(request: TokenRequest): Promise<TokenSet> {
  const { call, parameters: input, clientCredentials: credentials } = request
  const { node, origin } = call
  const given = {
    code: required(input, 'code'),
    verifier: required(input, 'code_verifier'),
    clientId: clientIdOf(credentials),
    redirectUri: required(input, 'redirect_uri'),
  }
  const grant = await consumeCode(node, given.code)
  if (grant === undefined) {
    recordPlatformAction(node, 'oauth.code.reused', origin, given.clientId)
    throw new OAuthError('invalid_grant', 'code is invalid or already used')
  }
  try {
    await assertSameClient(request, grant, given)
    const tokens = await issueTokens(request, grant)
    await forgetCode(node, given.code)
    return tokens
  } catch (error) {
    if (await endSession(node, grant, grant.accessId)) await forgetCode(node, given.code)
    throw error
  }
}

/**
 * Checks that the client is the one of the code, in the order of docs/interface/oauth.md#authorization-code.
 * @throws OAuthError
 */
async function assertSameClient(
  { call: { node }, clientCredentials: credentials }: TokenRequest,
  grant: CodeGrant,
  given: { verifier: string; clientId: string; redirectUri: string },
): Promise<void> {
  if (!verifies(given.verifier, grant.codeChallenge)) throw new OAuthError('invalid_grant', 'code_verifier does not match')
  if (given.clientId !== grant.clientId) throw new OAuthError('invalid_grant', 'client_id does not match')
  if (given.redirectUri !== grant.redirectUri) throw new OAuthError('invalid_grant', 'redirect_uri does not match')
  assertSameBasicId(credentials)
  await authenticateClient(node, await findClient(node, grant.clientId), credentials)
  await assertClientNotRevoked(node, grant)
}

async function issueTokens({ call: { node, origin }, jkt }: TokenRequest, grant: CodeGrant): Promise<TokenSet> {
  const loaded = await accountOf(node, grant)
  if (loaded === undefined) throw consentRevoked()
  const { account } = loaded
  const live = await account.write((t) => {
    const found = findAccess(t, node.store.seal, t.account, grant.accessId)
    return found === undefined || jkt === undefined ? found : bindSession(node, t, found, jkt)
  })
  if (live === undefined) throw consentRevoked()
  const { redirectUri: _r, codeChallenge: _c, accessId: _a, ...rest } = grant
  const refreshToken = await issueRefresh(node, {
    ...rest,
    ...(jkt === undefined ? {} : { dpopJkt: jkt }),
    absoluteExpiresAt: node.clock.now() + node.config.get('oauth.refreshTokenAbsoluteTTL'),
  })
  const { clientId, scope } = grant
  if (jkt !== undefined) await noteKey(node, { clientId, jkt })
  const id = accessIdOf(live.access)
  recordOf(node, account, 'oauth.code.exchanged', origin, clientId, id)
  recordOf(node, account, 'oauth.token.issued.authorization_code', origin, clientId, id)
  return tokenSet(node, loaded, live, { scope, refreshToken, jkt })
}
