/** OpenID Connect client: authorization request, code exchange and identity (OpenID Connect Core 1.0, 3.1). */
import * as oauth from 'oauth4webapi'
import { shortBody } from '../../../httpClient/shortBody.js'
import type { Provider } from '../../../config/settings/sso.js'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 512 * 1024
/** Cache lifetime of discovery documents. */
const CACHE_MS = 60 * 60 * 1000

/** Identity of a person at a provider. */
export interface Person {
  subject: string
  email?: string
  isEmailVerified: boolean
}

/** Values of an authorization that its completion is checked against. */
interface Begun {
  state: string
  nonce: string
  pkceVerifier: string
}

const servers = new Map<string, { server: Promise<oauth.AuthorizationServer>; until: number }>()

/** Starts an authorization: returns the URL of the provider, and the values to compare the response with. */
export async function begin(provider: Provider, redirectUri: string): Promise<Begun & { url: string }> {
  const { authorization_endpoint: endpoint } = await serverOf(provider)
  if (endpoint === undefined) throw new Error('The identity provider has no authorization endpoint.')
  const begun = { state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce(), pkceVerifier: oauth.generateRandomCodeVerifier() }
  const url = new URL(endpoint)
  const parameters = {
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.pkceVerifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { ...begun, url: url.href }
}

/**
 * Completes an authorization and returns the person's identity.
 * @throws for a denial, a wrong state, or a token not issued by the provider for this node
 */
export async function completeAuthorization(provider: Provider, redirectUri: string, brought: URLSearchParams, begun: Begun): Promise<Person> {
  const server = await serverOf(provider)
  const client: oauth.Client = { client_id: provider.clientId }
  const options = optionsFor(provider)
  const parameters = oauth.validateAuthResponse(server, client, brought, begun.state)
  const secret = clientAuthOf(server)(provider.clientSecret)
  const response = await oauth.authorizationCodeGrantRequest(server, client, secret, parameters, redirectUri, begun.pkceVerifier, options)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: begun.nonce, requireIdToken: true })
  await oauth.validateApplicationLevelSignature(server, response, options)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (claims === undefined) throw new Error('The identity provider returned no identity.')
  if (claims['email'] !== undefined || server.userinfo_endpoint === undefined) return personOf(claims.sub, claims)
  const userInfo = await oauth.userInfoRequest(server, client, tokens.access_token, options)
  return personOf(claims.sub, await oauth.processUserInfoResponse(server, client, claims.sub, userInfo))
}

function personOf(subject: string, { email, email_verified: isVerified }: Record<string, unknown>): Person {
  // Some providers send the flag as a string.
  const isEmailVerified = isVerified === true || isVerified === 'true'
  return { subject, isEmailVerified, ...(typeof email === 'string' && email !== '' ? { email } : {}) }
}

function serverOf(provider: Provider): Promise<oauth.AuthorizationServer> {
  const { issuer } = provider
  const known = servers.get(issuer)
  if (known !== undefined && known.until > performance.now()) return known.server
  const server = discover(provider)
  servers.set(issuer, { server, until: performance.now() + CACHE_MS })
  // Do not cache failures.
  server.catch(() => servers.delete(issuer))
  return server
}

/** Returns the provider's discovery document (OpenID Connect Discovery 1.0, 4). */
export async function discover(provider: Provider): Promise<oauth.AuthorizationServer> {
  const url = new URL(provider.issuer)
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm: 'oidc', ...optionsFor(provider) }))
}

/** Selects client authentication by the discovery document, else HTTP Basic (OpenID Connect Core 1.0, 9). */
function clientAuthOf({ token_endpoint_auth_methods_supported: supported = ['client_secret_basic'] }: oauth.AuthorizationServer): (secret: string) => oauth.ClientAuth {
  return supported.includes('client_secret_basic') ? oauth.ClientSecretBasic : oauth.ClientSecretPost
}

function optionsFor({ issuer }: Provider): { [oauth.customFetch]: typeof boundedFetch; [oauth.allowInsecureRequests]: boolean } {
  // Only a provider on this machine may be used without TLS, which the setting ensures.
  return { [oauth.customFetch]: boundedFetch, [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:' }
}

/** Fetches with a timeout and a size limit, without following redirects. */
async function boundedFetch(url: string, { body, headers: sent, method }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>): Promise<Response> {
  const init = { method, headers: sent, ...(body === undefined ? {} : { body }) }
  const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { status, headers } = response
  const bytes = await shortBody(response, MAX_ANSWER_BYTES)
  return new Response(bytes.length === 0 ? null : bytes, { status, headers })
}
