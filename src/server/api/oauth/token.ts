import * as z from 'zod'
import { oauthClient } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { errorAnswer, jsonAnswer, jsonErrors } from './answers.js'
import { oauthParameter, textOf, type OAuthParameters } from './parameters.js'
import { grantAuthorizationCode } from './grantAuthorizationCode.js'
import { grantClientCredentials } from './grantClientCredentials.js'
import { grantRefreshToken } from './grantRefreshToken.js'
import { clientCredentialsOf } from './clientAuth.js'
import { proveAtToken } from './dpop.js'
import { OAuthError } from './errors.js'
import type { TokenRequest, TokenSet } from './tokenRequest.js'
import type { ConsentDeps } from '../consents/service.js'

const grants: Readonly<Record<string, (request: TokenRequest) => Promise<TokenSet>>> = {
  authorization_code: grantAuthorizationCode,
  client_credentials: grantClientCredentials,
  refresh_token: grantRefreshToken,
}

const Tokens = z.object({
  access_token: z.string().describe('Access token, for the header Authorization.'),
  token_type: z.enum(['Bearer', 'DPoP']).describe('DPoP for a token that is bound to a key, else Bearer.'),
  expires_in: z.number().describe('Lifetime of the access token in seconds.'),
  refresh_token: z.string().optional().describe('Token for the next refresh; replaces the one that was used.'),
  scope: z.string().describe('Granted scopes, space-separated.'),
  apiEndpoint: z.string().describe('API endpoint of the account.'),
})

/** The token endpoint (RFC 6749, 3.2; docs/interface/oauth.md#tokens). */
export const token = platformMethod({
  id: 'oauth.token',
  summary: 'Issues and refreshes tokens of OAuth clients.',
  http: { verb: 'POST', path: '/oauth2/token' },
  caller: oauthClient,
  input: z.looseObject({
    grant_type: oauthParameter.describe('authorization_code, refresh_token or client_credentials; required.'),
    client_id: oauthParameter.describe('Id of the OAuth client.'),
    client_secret: oauthParameter.describe('Secret of a confidential client, if not sent as Basic authentication.'),
    client_assertion: oauthParameter.describe('Signed JWT by which the client authenticates (RFC 7523), instead of a secret.'),
    client_assertion_type: oauthParameter.describe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer.'),
    code: oauthParameter.describe('Authorization code; for authorization_code.'),
    code_verifier: oauthParameter.describe('PKCE verifier of the code; for authorization_code.'),
    redirect_uri: oauthParameter.describe('Redirect URI of the authorization request; for authorization_code.'),
    refresh_token: oauthParameter.describe('Refresh token, valid once; for refresh_token.'),
    scope: oauthParameter.describe('Requested scopes, space-separated; at most the granted ones.'),
  }),
  output: () => Tokens,
  protocol: {
    failed: errorAnswer,
    form: true,
    cors: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'POST, GET, OPTIONS',
      'Access-Control-Allow-Headers': 'Content-Type, Authorization, DPoP',
      'Access-Control-Expose-Headers': 'API-Version, WWW-Authenticate',
      'Access-Control-Max-Age': '3600',
      Vary: 'Origin',
    },
    answers: { 200: { description: 'The tokens.', type: 'application/json', schema: Tokens }, ...jsonErrors },
  },
  notInBatch: true,
  fails: [],
  async run(call: PlatformCall<ConsentDeps>, input: OAuthParameters) {
    const { node, origin } = call
    const proved = origin.proof === undefined ? undefined : await proveAtToken(node, origin.proof)
    const type = textOf(input, 'grant_type')
    if (type === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing.')
    const grant = Object.hasOwn(grants, type) ? grants[type] : undefined
    if (grant === undefined) throw new OAuthError('unsupported_grant_type', `The grant type "${type}" is not supported.`)
    return jsonAnswer(await grant({ call, parameters: input, clientCredentials: clientCredentialsOf(call, input), jkt: proved?.jkt }))
  },
})
