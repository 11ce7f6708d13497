/**
 * Requirements of RFCs for an authorization server, each verified by a call: RFC 6749 (OAuth), 7636 (PKCE), 8252 (native
 * apps), 8414 (metadata), 9207 (issuer), 9700 (best practice). The specification returns 403 where RFCs require 401.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, type Answer } from '../../../support/nodes/node.js'
import { addClient, basic, CHALLENGE, exchange, post, REDIRECT, token, VERIFIER } from '../../../support/people/oauth.js'
import { LOOPBACK, PUBLIC, SECRET, startRfcSetup, type Requirement, type RfcSetup } from './rfcSupport.js'

let setup: RfcSetup
beforeAll(async () => {
  setup = await startRfcSetup()
})
afterAll(() => setup.stop())

const errorOf = async (params: Readonly<Record<string, string | undefined>>, more?: string): Promise<string | null> =>
  (await setup.authorizeRedirect(params, more)).searchParams.get('error')
const raw = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  request(`${setup.node.url}oauth2/token`, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } })
const formOf = (body: Readonly<Record<string, string | undefined>>): string => new URLSearchParams(body as Record<string, string>).toString()
const refresh = (refreshToken: unknown, more: Record<string, string> = {}): Promise<Answer> =>
  token(setup.node, { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken), ...more })
const metadata = async (): Promise<Answer> => request(`${setup.node.url}.well-known/oauth-authorization-server`)
const expectNoRedirect = async (params: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const { status, headers } = await setup.authorize(params)
  expect([status, headers.get('location')]).toEqual([400, null])
}
/** Characters allowed in error descriptions (RFC 6749, 4.1.2.1 and 5.2). */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/
const GRANT = { error: 'invalid_grant' }

const endpoints: Requirement[] = [
  ['6749 3.1', 'parameters without a value are treated as omitted', async () => {
    expect(await errorOf({ code_challenge: '' })).toBe('invalid_request')
    expect((await setup.authorizeRedirect({ login_hint: '' })).searchParams.get('error')).toBeNull()
    await expectNoRedirect({ client_id: '' })
  }],
  ['6749 3.1', 'unknown parameters are ignored', async () => expect(await errorOf({ audience: 'x', prompt: 'none' })).toBeNull()],
  ['6749 3.1', 'repeated parameters are refused', async () => {
    expect(await errorOf({}, '&scope=cmc:study')).toBe('invalid_request')
    expect(await errorOf({}, '&code_challenge_method=S256')).toBe('invalid_request')
    const twice = await setup.authorize({}, '&client_id=secret-app')
    expect([twice.status, twice.headers.get('location')]).toEqual([400, null])
  }],
  ['6749 3.1.1', 'an unknown response type fails with unsupported_response_type', async () => expect(await errorOf({ response_type: 'token' })).toBe('unsupported_response_type')],
  ['6749 3.1.1', 'a response type of several words fails with unsupported_response_type', async () => expect(await errorOf({ response_type: 'code id_token' })).toBe('unsupported_response_type')],
  ['6749 3.1.2', 'the query of a redirection endpoint is kept', async () => {
    expect((await setup.authorizeRedirect({ redirect_uri: `${REDIRECT}?kept=1`, scope: 'x' })).searchParams.get('kept')).toBe('1')
    expect((await setup.consentRedirect({ redirect_uri: `${REDIRECT}?kept=1` })).searchParams.get('kept')).toBe('1')
  }],
  ['6749 3.1.2', 'a redirection endpoint has no fragment', () => expectNoRedirect({ redirect_uri: `${REDIRECT}#x` })],
  ['6749 3.1.2.4', 'an invalid redirection URI gets no redirect', () => expectNoRedirect({ redirect_uri: 'https://evil.example/cb' })],
  ['6749 3.2', 'tokens are requested with POST only', async () => {
    expect((await request(`${setup.node.url}oauth2/token?${formOf(exchange(await setup.codeOf(), PUBLIC))}`)).status).toBe(404)
  }],
  ['6749 3.2', 'token parameters without a value are treated as omitted', async () => expect((await token(setup.node, exchange('', PUBLIC))).body['error']).toBe('invalid_request')],
  ['6749 3.2', 'unknown token parameters are ignored', async () => {
    expect((await token(setup.node, exchange(await setup.codeOf(), PUBLIC, { resource: 'x' }))).status).toBe(200)
  }],
  ['6749 3.2', 'repeated token parameters are refused without consuming the code', async () => {
    const form = formOf(exchange(await setup.codeOf(), PUBLIC))
    for (const name of ['code', 'client_id', 'grant_type']) {
      expect(await raw(`${form}&${name}=x`)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    expect((await raw(form)).status).toBe(200)
  }],
  ['6749 2.3.1', 'secrets in the URL are ignored', async () => {
    const path = `oauth2/token?${formOf({ client_id: SECRET, client_secret: setup.secret })}`
    expect((await post(setup.node, path, exchange(await setup.codeOf(SECRET), SECRET))).body['error']).toBe('invalid_client')
  }],
  ['6749 2.3.1', 'a client with a password may use Basic', async () => expect((await setup.tokensOf(SECRET, basic(SECRET, setup.secret))).status).toBe(200)],
  ['6749 3.2.1', 'a confidential client must authenticate', async () => expect(await setup.tokensOf(SECRET)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })],
  ['6749 3.3', 'the granted scope is returned', async () => expect((await setup.tokensOf()).body['scope']).toBe('cmc:study')],
  ['6749 3.3', 'an invalid scope fails with invalid_scope', async () => expect(await errorOf({ scope: 'cmc:study cmc:other' })).toBe('invalid_scope')],
]

const codes: Requirement[] = [
  ['6749 4.1.2', 'the state is returned unchanged', async () => {
    const state = 'a b&c=é"<>%00/?'
    expect((await setup.consentRedirect({ state })).searchParams.get('state')).toBe(state)
    expect((await setup.authorizeRedirect({ state, scope: 'x' })).searchParams.get('state')).toBe(state)
  }],
  ['6749 4.1.2', 'a code expires after ten minutes', async () => {
    const [early, late] = [await setup.codeOf(), await setup.codeOf()]
    setup.clock.pass(599)
    expect((await token(setup.node, exchange(early, PUBLIC))).status).toBe(200)
    setup.clock.pass(1)
    expect((await token(setup.node, exchange(late, PUBLIC))).body).toMatchObject(GRANT)
  }],
  ['6749 4.1.2', 'a reused code is refused', async () => {
    const code = await setup.codeOf()
    await token(setup.node, exchange(code, PUBLIC))
    expect(await token(setup.node, exchange(code, PUBLIC))).toMatchObject({ status: 400, body: GRANT })
  }],
  ['6749 4.1.2', 'a code is bound to its client', async () => expect((await token(setup.node, exchange(await setup.codeOf(), SECRET), basic(SECRET, setup.secret))).body).toMatchObject(GRANT)],
  ['6749 4.1.2', 'a code is bound to its redirection URI', async () => {
    const code = (await setup.consentRedirect({ redirect_uri: LOOPBACK })).searchParams.get('code') ?? ''
    expect((await token(setup.node, exchange(code, PUBLIC, { redirect_uri: 'http://127.0.0.1:81/cb' }))).body).toMatchObject(GRANT)
  }],
  ['6749 4.1.2.1', 'error descriptions contain only allowed characters', async () => {
    for (const scope of ['"\\é', 'cmc:"é\n', 'x"y']) {
      const redirect = await setup.authorizeRedirect({ scope })
      expect(redirect.searchParams.get('error_description')).toMatch(DESCRIPTION)
    }
  }],
  ['6749 4.1.3', 'the code of a confidential client requires its secret', async () => {
    expect((await token(setup.node, exchange(await setup.codeOf(SECRET), SECRET), basic(SECRET, 'wrong'))).body).toMatchObject({ error: 'invalid_client' })
  }],
  ['6749 10.5', 'accepting returns a redirect without a fragment', async () => expect((await setup.consentRedirect()).hash).toBe('')],
  ['6749 10.10', 'codes and refresh tokens have 256 bits, and are unique', async () => {
    const { body } = await setup.tokensOf()
    const other = (await setup.tokensOf()).body
    for (const name of ['refresh_token', 'access_token']) expect(body[name]).not.toBe(other[name])
    for (const value of [await setup.codeOf(), body['refresh_token']]) expect(Buffer.from(String(value), 'base64url')).toHaveLength(32)
    expect(String(body['access_token']).length).toBeGreaterThan(20)
  }],
  ['6749 4.4.2', 'client_credentials require an authenticated client', async () => {
    expect((await token(setup.node, { grant_type: 'client_credentials', client_id: PUBLIC })).body).toMatchObject({ error: 'invalid_client' })
  }],
]

const responses: Requirement[] = [
  ['6749 5.1', 'tokens are returned as JSON that is not cached', async () => {
    const { headers, body } = await setup.tokensOf()
    expect([headers.get('content-type'), headers.get('cache-control'), headers.get('pragma')]).toEqual(['application/json; charset=utf-8', 'no-store', 'no-cache'])
    expect(body).toMatchObject({ access_token: expect.any(String) as string, token_type: expect.stringMatching(/^bearer$/i) as string, expires_in: expect.any(Number) as number })
  }],
  ['6749 5.2', 'errors are returned as JSON that is not cached', async () => {
    const { status, headers } = await token(setup.node, { grant_type: 'x' })
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([400, 'application/json; charset=utf-8', 'no-store'])
  }],
  ['6749 5.2', 'a client that failed by a header gets a challenge with the scheme', async () => {
    const { status, headers } = await setup.tokensOf(SECRET, basic(SECRET, 'wrong'))
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic realm="/)])
  }],
  ['6749 5.2', 'a grant type not registered for the client fails with unauthorized_client', async () => {
    await addClient(setup.node, 'codes-only', { confidential: true, grantTypes: ['authorization_code'] })
    expect((await token(setup.node, { grant_type: 'client_credentials', client_id: 'codes-only' })).body['error']).toBe('unauthorized_client')
  }],
  ['6749 5.2', 'an unknown grant type fails with unsupported_grant_type', async () => expect((await token(setup.node, { grant_type: 'é"\\' })).body['error']).toBe('unsupported_grant_type')],
  ['6749 5.2', 'error descriptions contain only allowed characters', async () => {
    const odd = 'é"\\\n'
    const bodies = [{ grant_type: odd }, exchange(odd, odd), { grant_type: 'client_credentials', client_id: odd, scope: odd }, { grant_type: 'client_credentials', client_id: SECRET, client_secret: setup.secret, scope: odd }]
    for (const body of bodies) expect((await token(setup.node, body)).body['error_description']).toMatch(DESCRIPTION)
  }],
  ['6749 6', 'a refresh does not extend the granted scope', async () => {
    const { body } = await setup.tokensOf()
    expect((await refresh(body['refresh_token'], { scope: 'cmc:study app:more' })).body['scope']).toBe('cmc:study')
  }],
  ['6749 6', 'a refresh token is bound to its client', async () => {
    const { body } = await setup.tokensOf()
    expect((await refresh(body['refresh_token'], { client_id: 'another-app' })).body).toMatchObject(GRANT)
  }],
  ['6749 6', 'a confidential client must authenticate to refresh', async () => {
    const { body } = await setup.tokensOf(SECRET, basic(SECRET, setup.secret))
    expect((await refresh(body['refresh_token'], { client_id: SECRET })).body).toMatchObject({ error: 'invalid_client' })
  }],
]

const pkce: Requirement[] = [
  ['7636 4.4.1', 'a challenge is required', async () => expect(await errorOf({ code_challenge: undefined })).toBe('invalid_request')],
  ['7636 4.4.1', 'an unknown transformation fails with invalid_request', async () => expect(await errorOf({ code_challenge_method: 'S512' })).toBe('invalid_request')],
  ['7636 4.2', 'a challenge with other characters is refused', async () => {
    for (const code_challenge of [`${CHALLENGE.slice(1)}=`, `${CHALLENGE.slice(1)}+`, 'a b']) expect(await errorOf({ code_challenge })).toBe('invalid_request')
  }],
  ['7636 4.6', 'a wrong verifier fails with invalid_grant', async () => {
    for (const code_verifier of [`${VERIFIER}x`, VERIFIER.toUpperCase(), CHALLENGE]) expect((await token(setup.node, exchange(await setup.codeOf(), PUBLIC, { code_verifier }))).body).toMatchObject(GRANT)
  }],
  ['7636 7.2', 'a challenge is required for confidential clients too', async () => expect(await errorOf({ client_id: SECRET, code_challenge: undefined })).toBe('invalid_request')],
  ['9700 2.1.1', 'a code cannot be exchanged without a verifier', async () => expect((await token(setup.node, exchange(await setup.codeOf(), PUBLIC, { code_verifier: undefined }))).status).toBe(400)],
  ['9700 2.1.1', 'the metadata list the PKCE method', async () => expect((await metadata()).body['code_challenge_methods_supported']).toEqual(['S256'])],
]

const native: Requirement[] = [
  ['8252 7.3', 'any port of loopback addresses is accepted', async () => {
    for (const redirect_uri of ['http://127.0.0.1:51004/cb', 'http://[::1]:51004/cb']) expect(await errorOf({ redirect_uri })).toBeNull()
  }],
  ['8252 8.10', 'only the port of loopback addresses may differ', () => expectNoRedirect({ redirect_uri: 'http://127.0.0.1:51004/cb/x' })],
  ['8252 8.3', 'another port of localhost is refused', () => expectNoRedirect({ redirect_uri: 'http://localhost:51004/cb' })],
  ['8252 7.1', 'private schemes are compared exactly', async () => {
    expect(await errorOf({ redirect_uri: 'com.example.app:/cb' })).toBeNull()
    await expectNoRedirect({ redirect_uri: 'com.example.app:/cb2' })
  }],
  ['8252 8.4', 'registered URIs are compared exactly', () => expectNoRedirect({ redirect_uri: `${REDIRECT}/` })],
  ['8252 8.5', 'a public client needs no secret', async () => expect((await setup.tokensOf(PUBLIC)).status).toBe(200)],
]

const discovery: Requirement[] = [
  ['8414 3.2', 'metadata are returned as JSON with status 200', async () => {
    const { status, headers } = await metadata()
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  }],
  ['8414 3.3', 'the issuer matches the URL of the metadata', async () => expect((await metadata()).body['issuer']).toBe(setup.issuer)],
  ['8414 2', 'the issuer has no query and no fragment', async () => {
    const { search, hash } = new URL(String((await metadata()).body['issuer']))
    expect([search, hash]).toEqual(['', ''])
  }],
  ['8414 2', 'the required fields exist, and no list is empty', async () => {
    const { body } = await metadata()
    for (const name of ['authorization_endpoint', 'token_endpoint', 'response_types_supported']) expect(body).toHaveProperty(name)
    for (const value of Object.values(body)) if (Array.isArray(value)) expect(value).not.toEqual([])
  }],
  ['8414 2', 'the algorithms of assertions are listed, without none', async () => {
    const { body } = await metadata()
    expect(body['token_endpoint_auth_methods_supported']).toContain('private_key_jwt')
    expect(body['token_endpoint_auth_signing_alg_values_supported']).toEqual(['ES256'])
  }],
  ['9207 2', 'the response of a consent contains the issuer', async () => expect((await setup.consentRedirect()).searchParams.getAll('iss')).toEqual([setup.issuer])],
  ['9207 2', 'error responses contain the issuer', async () => expect((await setup.authorizeRedirect({ scope: 'x' })).searchParams.getAll('iss')).toEqual([setup.issuer])],
  ['9207 2', 'the response of a refusal contains the issuer', async () => {
    const state = (await setup.authorizeRedirect()).searchParams.get('state') ?? ''
    const { body } = await post(setup.node, 'oauth2/authorize/refuse', { state }, { json: true })
    expect(new URL(String(body['redirectTo'])).searchParams.getAll('iss')).toEqual([setup.issuer])
  }],
  ['9207 3', 'the metadata announce the issuer parameter', async () => expect((await metadata()).body['authorization_response_iss_parameter_supported']).toBe(true)],
]

const practice: Requirement[] = [
  ['9700 2.1', 'redirection URIs are compared as strings', () => expectNoRedirect({ redirect_uri: 'https://APP.example/cb' })],
  ['9700 2.6', 'other origins cannot read the authorization endpoint', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
      const query = formOf({ client_id: PUBLIC, redirect_uri: REDIRECT, response_type: 'code' })
      const answer = await fetch(`${setup.node.url}oauth2/authorize?${query}`, { method, headers, redirect: 'manual' })
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-')), method).toEqual([])
    }
  }],
  ['9700 4.11.2', 'the node is not an open redirector', () => expectNoRedirect({ client_id: 'unknown-app', redirect_uri: 'https://evil.example/' })],
  ['9700 4.12', 'redirections use status 302, which drops the form', async () => {
    for (const scope of ['cmc:study', 'x']) expect((await setup.authorize({ scope })).status).toBe(302)
  }],
  ['9700 4.16', 'pages of authorize cannot be framed', async () => {
    const { headers } = await setup.authorize({ client_id: 'unknown-app' })
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const page = await fetch(`${setup.issuer}/web/oauth-consent?state=x`)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  }],
  ['9700 4.2.4', 'pages of authorize send no referrer', async () => {
    expect((await setup.authorize({ client_id: 'unknown-app' })).headers.get('referrer-policy')).toBe('no-referrer')
    expect((await fetch(`${setup.issuer}/web/oauth-consent?state=x`)).headers.get('referrer-policy')).toBe('no-referrer')
  }],
  ['9700 2.2.2', 'refresh tokens of public clients are rotated', async () => {
    const { body } = await setup.tokensOf()
    const second = await refresh(body['refresh_token'])
    expect([second.status, second.body['refresh_token'] === body['refresh_token']]).toEqual([200, false])
  }],
  ['9700 4.14.2', 'a rotated token reused within the grace period is only refused', async () => {
    const { body } = await setup.tokensOf()
    const second = await refresh(body['refresh_token'])
    setup.clock.pass(9)
    expect((await refresh(body['refresh_token'])).body).toMatchObject(GRANT)
    expect((await refresh(second.body['refresh_token'])).status).toBe(200)
  }],
  ['9700 4.14.2', 'a rotated token reused later revokes its chain', async () => {
    const { body } = await setup.tokensOf()
    const second = await refresh(body['refresh_token'])
    setup.clock.pass(11)
    expect((await refresh(body['refresh_token'])).body).toMatchObject(GRANT)
    expect((await refresh(second.body['refresh_token'])).body).toMatchObject(GRANT)
  }],
  ['9700 2.4', 'the password grant is not supported', async () => {
    expect((await token(setup.node, { grant_type: 'password', username: 'ana-lovelace', password: 'x' })).body['error']).toBe('unsupported_grant_type')
  }],
  ['9700 2.1.2', 'the response of authorize contains no token', async () => expect([...(await setup.consentRedirect()).searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])],
]

describe.each([
  ['endpoints', endpoints],
  ['codes', codes],
  ['responses', responses],
  ['PKCE', pkce],
  ['native apps', native],
  ['discovery and issuer', discovery],
  ['best practice', practice],
] as [string, Requirement[]][])('%s', (_, rows) => {
  it.each(rows)('RFC %s: %s', async (_section, _requirement, check) => check())
})
