/**
 * What RFCs demand of an authorisation server, each with a call that shows it: RFC 6749 (OAuth), 7636 (PKCE), 8252 (native
 * apps), 8414 (metadata), 9207 (issuer), 9700 (best practice). The specification says 403 where RFCs say 401, and has more.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, type Answer } from '../../../support/nodes/node.js'
import { addClient, basic, CHALLENGE, exchange, post, REDIRECT, token, VERIFIER } from '../../../support/people/oauth.js'
import { LOOPBACK, PUBLIC, SECRET, startMusts, type Must, type Musts } from './mustsSupport.js'

let at: Musts
beforeAll(async () => {
  at = await startMusts()
})
afterAll(() => at.stop())

const errorOf = async (asked: Readonly<Record<string, string | undefined>>, more?: string): Promise<string | null> =>
  (await at.led(asked, more)).searchParams.get('error')
const raw = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  request(`${at.node.url}oauth2/token`, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } })
const formOf = (body: Readonly<Record<string, string | undefined>>): string => new URLSearchParams(body as Record<string, string>).toString()
const refresh = (refreshToken: unknown, more: Record<string, string> = {}): Promise<Answer> =>
  token(at.node, { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken), ...more })
const metadata = async (): Promise<Answer> => request(`${at.node.url}.well-known/oauth-authorization-server`)
const leadsNowhere = async (asked: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const { status, headers } = await at.authorize(asked)
  expect([status, headers.get('location')]).toEqual([400, null])
}
/** The characters that descriptions of errors may have (RFC 6749, 4.1.2.1 and 5.2). */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/
const GRANT = { error: 'invalid_grant' }

const endpoints: Must[] = [
  ['6749 3.1', 'parameters without a value count as left out', async () => {
    expect(await errorOf({ code_challenge: '' })).toBe('invalid_request')
    expect((await at.led({ login_hint: '' })).searchParams.get('error')).toBeNull()
    await leadsNowhere({ client_id: '' })
  }],
  ['6749 3.1', 'parameters that nobody knows are ignored', async () => expect(await errorOf({ audience: 'x', prompt: 'none' })).toBeNull()],
  ['6749 3.1', 'no parameter comes twice', async () => {
    expect(await errorOf({}, '&scope=cmc:study')).toBe('invalid_request')
    expect(await errorOf({}, '&code_challenge_method=S256')).toBe('invalid_request')
    const twice = await at.authorize({}, '&client_id=secret-app')
    expect([twice.status, twice.headers.get('location')]).toEqual([400, null])
  }],
  ['6749 3.1.1', 'another response type is unsupported_response_type', async () => expect(await errorOf({ response_type: 'token' })).toBe('unsupported_response_type')],
  ['6749 3.1.1', 'so is one of several words', async () => expect(await errorOf({ response_type: 'code id_token' })).toBe('unsupported_response_type')],
  ['6749 3.1.2', 'the query of a redirection endpoint is kept', async () => {
    expect((await at.led({ redirect_uri: `${REDIRECT}?kept=1`, scope: 'x' })).searchParams.get('kept')).toBe('1')
    expect((await at.agreed({ redirect_uri: `${REDIRECT}?kept=1` })).searchParams.get('kept')).toBe('1')
  }],
  ['6749 3.1.2', 'a redirection endpoint has no fragment', () => leadsNowhere({ redirect_uri: `${REDIRECT}#x` })],
  ['6749 3.1.2.4', 'nobody is redirected to an invalid URI', () => leadsNowhere({ redirect_uri: 'https://evil.example/cb' })],
  ['6749 3.2', 'tokens are asked for with POST', async () => {
    expect((await request(`${at.node.url}oauth2/token?${formOf(exchange(await at.codeOf(), PUBLIC))}`)).status).toBe(404)
  }],
  ['6749 3.2', 'token parameters without a value count as left out', async () => expect((await token(at.node, exchange('', PUBLIC))).body['error']).toBe('invalid_request')],
  ['6749 3.2', 'token parameters that nobody knows are ignored', async () => {
    expect((await token(at.node, exchange(await at.codeOf(), PUBLIC, { resource: 'x' }))).status).toBe(200)
  }],
  ['6749 3.2', 'no token parameter comes twice, and nothing is used up by it', async () => {
    const form = formOf(exchange(await at.codeOf(), PUBLIC))
    for (const name of ['code', 'client_id', 'grant_type']) {
      expect(await raw(`${form}&${name}=x`)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    expect((await raw(form)).status).toBe(200)
  }],
  ['6749 2.3.1', 'secrets are not taken from the address', async () => {
    const path = `oauth2/token?${formOf({ client_id: SECRET, client_secret: at.secret })}`
    expect((await post(at.node, path, exchange(await at.codeOf(SECRET), SECRET))).body['error']).toBe('invalid_client')
  }],
  ['6749 2.3.1', 'a client with a password may use Basic', async () => expect((await at.tokensOf(SECRET, basic(SECRET, at.secret))).status).toBe(200)],
  ['6749 3.2.1', 'a confidential client authenticates', async () => expect(await at.tokensOf(SECRET)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })],
  ['6749 3.3', 'the scope that was granted is told', async () => expect((await at.tokensOf()).body['scope']).toBe('cmc:study')],
  ['6749 3.3', 'a scope that cannot be is invalid_scope', async () => expect(await errorOf({ scope: 'cmc:study cmc:other' })).toBe('invalid_scope')],
]

const codes: Must[] = [
  ['6749 4.1.2', 'the state comes back as it was', async () => {
    const state = 'a b&c=é"<>%00/?'
    expect((await at.agreed({ state })).searchParams.get('state')).toBe(state)
    expect((await at.led({ state, scope: 'x' })).searchParams.get('state')).toBe(state)
  }],
  ['6749 4.1.2', 'a code is short-lived: ten minutes', async () => {
    const [early, late] = [await at.codeOf(), await at.codeOf()]
    at.clock.pass(599)
    expect((await token(at.node, exchange(early, PUBLIC))).status).toBe(200)
    at.clock.pass(1)
    expect((await token(at.node, exchange(late, PUBLIC))).body).toMatchObject(GRANT)
  }],
  ['6749 4.1.2', 'a code is denied when it comes again', async () => {
    const code = await at.codeOf()
    await token(at.node, exchange(code, PUBLIC))
    expect(await token(at.node, exchange(code, PUBLIC))).toMatchObject({ status: 400, body: GRANT })
  }],
  ['6749 4.1.2', 'a code is bound to its client', async () => expect((await token(at.node, exchange(await at.codeOf(), SECRET), basic(SECRET, at.secret))).body).toMatchObject(GRANT)],
  ['6749 4.1.2', 'a code is bound to its redirection URI', async () => {
    const code = (await at.agreed({ redirect_uri: LOOPBACK })).searchParams.get('code') ?? ''
    expect((await token(at.node, exchange(code, PUBLIC, { redirect_uri: 'http://127.0.0.1:81/cb' }))).body).toMatchObject(GRANT)
  }],
  ['6749 4.1.2.1', 'descriptions of errors have no other characters', async () => {
    for (const scope of ['"\\é', 'cmc:"é\n', 'x"y']) {
      const led = await at.led({ scope })
      expect(led.searchParams.get('error_description')).toMatch(DESCRIPTION)
    }
  }],
  ['6749 4.1.3', 'the code of a confidential client is exchanged by it alone', async () => {
    expect((await token(at.node, exchange(await at.codeOf(SECRET), SECRET), basic(SECRET, 'wrong'))).body).toMatchObject({ error: 'invalid_client' })
  }],
  ['6749 10.5', 'refusing and accepting carry nothing in a fragment', async () => expect((await at.agreed()).hash).toBe('')],
  ['6749 10.10', 'codes and tokens have 256 bits, and none is made twice', async () => {
    const { body } = await at.tokensOf()
    const other = (await at.tokensOf()).body
    for (const name of ['refresh_token', 'access_token']) expect(body[name]).not.toBe(other[name])
    for (const value of [await at.codeOf(), body['refresh_token']]) expect(Buffer.from(String(value), 'base64url')).toHaveLength(32)
    expect(String(body['access_token']).length).toBeGreaterThan(20)
  }],
  ['6749 4.4.2', 'client_credentials are for clients that authenticate', async () => {
    expect((await token(at.node, { grant_type: 'client_credentials', client_id: PUBLIC })).body).toMatchObject({ error: 'invalid_client' })
  }],
]

const answers: Must[] = [
  ['6749 5.1', 'tokens are JSON that nobody keeps', async () => {
    const { headers, body } = await at.tokensOf()
    expect([headers.get('content-type'), headers.get('cache-control'), headers.get('pragma')]).toEqual(['application/json; charset=utf-8', 'no-store', 'no-cache'])
    expect(body).toMatchObject({ access_token: expect.any(String) as string, token_type: expect.stringMatching(/^bearer$/i) as string, expires_in: expect.any(Number) as number })
  }],
  ['6749 5.2', 'errors are JSON that nobody keeps', async () => {
    const { status, headers } = await token(at.node, { grant_type: 'x' })
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([400, 'application/json; charset=utf-8', 'no-store'])
  }],
  ['6749 5.2', 'a client that came by a header is told by which scheme', async () => {
    const { status, headers } = await at.tokensOf(SECRET, basic(SECRET, 'wrong'))
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic realm="/)])
  }],
  ['6749 5.2', 'a grant that the client has not is unauthorized_client', async () => {
    await addClient(at.node, 'codes-only', { confidential: true, grantTypes: ['authorization_code'] })
    expect((await token(at.node, { grant_type: 'client_credentials', client_id: 'codes-only' })).body['error']).toBe('unauthorized_client')
  }],
  ['6749 5.2', 'a grant that there is not is unsupported_grant_type', async () => expect((await token(at.node, { grant_type: 'é"\\' })).body['error']).toBe('unsupported_grant_type')],
  ['6749 5.2', 'descriptions of errors have no other characters', async () => {
    const odd = 'é"\\\n'
    const given = [{ grant_type: odd }, exchange(odd, odd), { grant_type: 'client_credentials', client_id: odd, scope: odd }, { grant_type: 'client_credentials', client_id: SECRET, client_secret: at.secret, scope: odd }]
    for (const body of given) expect((await token(at.node, body)).body['error_description']).toMatch(DESCRIPTION)
  }],
  ['6749 6', 'a refresh gives no scope that was not granted', async () => {
    const { body } = await at.tokensOf()
    expect((await refresh(body['refresh_token'], { scope: 'cmc:study app:more' })).body['scope']).toBe('cmc:study')
  }],
  ['6749 6', 'a refresh token is bound to its client', async () => {
    const { body } = await at.tokensOf()
    expect((await refresh(body['refresh_token'], { client_id: 'another-app' })).body).toMatchObject(GRANT)
  }],
  ['6749 6', 'a confidential client authenticates to refresh', async () => {
    const { body } = await at.tokensOf(SECRET, basic(SECRET, at.secret))
    expect((await refresh(body['refresh_token'], { client_id: SECRET })).body).toMatchObject({ error: 'invalid_client' })
  }],
]

const pkce: Must[] = [
  ['7636 4.4.1', 'without a challenge nothing begins', async () => expect(await errorOf({ code_challenge: undefined })).toBe('invalid_request')],
  ['7636 4.4.1', 'a transformation that there is not is invalid_request', async () => expect(await errorOf({ code_challenge_method: 'S512' })).toBe('invalid_request')],
  ['7636 4.2', 'a challenge has no other characters', async () => {
    for (const code_challenge of [`${CHALLENGE.slice(1)}=`, `${CHALLENGE.slice(1)}+`, 'a b']) expect(await errorOf({ code_challenge })).toBe('invalid_request')
  }],
  ['7636 4.6', 'another verifier is invalid_grant', async () => {
    for (const code_verifier of [`${VERIFIER}x`, VERIFIER.toUpperCase(), CHALLENGE]) expect((await token(at.node, exchange(await at.codeOf(), PUBLIC, { code_verifier }))).body).toMatchObject(GRANT)
  }],
  ['7636 7.2', 'confidential clients need it too', async () => expect(await errorOf({ client_id: SECRET, code_challenge: undefined })).toBe('invalid_request')],
  ['9700 2.1.1', 'no code is exchanged without a verifier', async () => expect((await token(at.node, exchange(await at.codeOf(), PUBLIC, { code_verifier: undefined }))).status).toBe(400)],
  ['9700 2.1.1', 'that PKCE is there is in the metadata', async () => expect((await metadata()).body['code_challenge_methods_supported']).toEqual(['S256'])],
]

const native: Must[] = [
  ['8252 7.3', 'any port of the loopback addresses', async () => {
    for (const redirect_uri of ['http://127.0.0.1:51004/cb', 'http://[::1]:51004/cb']) expect(await errorOf({ redirect_uri })).toBeNull()
  }],
  ['8252 8.10', 'any port, and nothing else of it', () => leadsNowhere({ redirect_uri: 'http://127.0.0.1:51004/cb/x' })],
  ['8252 8.3', 'no other port of localhost', () => leadsNowhere({ redirect_uri: 'http://localhost:51004/cb' })],
  ['8252 7.1', 'private schemes, to the letter', async () => {
    expect(await errorOf({ redirect_uri: 'com.example.app:/cb' })).toBeNull()
    await leadsNowhere({ redirect_uri: 'com.example.app:/cb2' })
  }],
  ['8252 8.4', 'registered URIs, to the letter', () => leadsNowhere({ redirect_uri: `${REDIRECT}/` })],
  ['8252 8.5', 'a public client is not identified by a secret', async () => expect((await at.tokensOf(PUBLIC)).status).toBe(200)],
]

const discovery: Must[] = [
  ['8414 3.2', 'metadata are JSON, 200', async () => {
    const { status, headers } = await metadata()
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  }],
  ['8414 3.3', 'the issuer is that whose address it was made of', async () => expect((await metadata()).body['issuer']).toBe(at.issuer)],
  ['8414 2', 'the issuer has no query and no fragment', async () => {
    const { search, hash } = new URL(String((await metadata()).body['issuer']))
    expect([search, hash]).toEqual(['', ''])
  }],
  ['8414 2', 'what must be there is there, and nothing is empty', async () => {
    const { body } = await metadata()
    for (const name of ['authorization_endpoint', 'token_endpoint', 'response_types_supported']) expect(body).toHaveProperty(name)
    for (const value of Object.values(body)) if (Array.isArray(value)) expect(value).not.toEqual([])
  }],
  ['8414 2', 'algorithms of assertions are named, and none is not among them', async () => {
    const { body } = await metadata()
    expect(body['token_endpoint_auth_methods_supported']).toContain('private_key_jwt')
    expect(body['token_endpoint_auth_signing_alg_values_supported']).toEqual(['ES256'])
  }],
  ['9207 2', 'the issuer is in what consent answers', async () => expect((await at.agreed()).searchParams.getAll('iss')).toEqual([at.issuer])],
  ['9207 2', 'the issuer is in errors', async () => expect((await at.led({ scope: 'x' })).searchParams.getAll('iss')).toEqual([at.issuer])],
  ['9207 2', 'the issuer is in a refusal', async () => {
    const state = (await at.led()).searchParams.get('state') ?? ''
    const { body } = await post(at.node, 'oauth2/authorize/refuse', { state }, { json: true })
    expect(new URL(String(body['redirectTo'])).searchParams.getAll('iss')).toEqual([at.issuer])
  }],
  ['9207 3', 'that it is there is in the metadata', async () => expect((await metadata()).body['authorization_response_iss_parameter_supported']).toBe(true)],
]

const practice: Must[] = [
  ['9700 2.1', 'redirection URIs are compared as texts', () => leadsNowhere({ redirect_uri: 'https://APP.example/cb' })],
  ['9700 2.6', 'other origins do not read the authorization endpoint', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
      const query = formOf({ client_id: PUBLIC, redirect_uri: REDIRECT, response_type: 'code' })
      const answer = await fetch(`${at.node.url}oauth2/authorize?${query}`, { method, headers, redirect: 'manual' })
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-')), method).toEqual([])
    }
  }],
  ['9700 4.11.2', 'no open redirector', () => leadsNowhere({ client_id: 'unknown-app', redirect_uri: 'https://evil.example/' })],
  ['9700 4.12', 'redirections keep no form: 302 or 303', async () => {
    for (const scope of ['cmc:study', 'x']) expect((await at.authorize({ scope })).status).toBe(302)
  }],
  ['9700 4.16', 'nobody frames what authorize shows', async () => {
    const { headers } = await at.authorize({ client_id: 'unknown-app' })
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const page = await fetch(`${at.issuer}/web/oauth-consent?state=x`)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  }],
  ['9700 4.2.4', 'what authorize shows tells no other site of its address', async () => {
    expect((await at.authorize({ client_id: 'unknown-app' })).headers.get('referrer-policy')).toBe('no-referrer')
    expect((await fetch(`${at.issuer}/web/oauth-consent?state=x`)).headers.get('referrer-policy')).toBe('no-referrer')
  }],
  ['9700 2.2.2', 'refresh tokens of public clients are rotated', async () => {
    const { body } = await at.tokensOf()
    const second = await refresh(body['refresh_token'])
    expect([second.status, second.body['refresh_token'] === body['refresh_token']]).toEqual([200, false])
  }],
  ['9700 4.14.2', 'a rotated one that comes within the grace ends nothing', async () => {
    const { body } = await at.tokensOf()
    const second = await refresh(body['refresh_token'])
    at.clock.pass(9)
    expect((await refresh(body['refresh_token'])).body).toMatchObject(GRANT)
    expect((await refresh(second.body['refresh_token'])).status).toBe(200)
  }],
  ['9700 4.14.2', 'a rotated one that comes later ends its chain', async () => {
    const { body } = await at.tokensOf()
    const second = await refresh(body['refresh_token'])
    at.clock.pass(11)
    expect((await refresh(body['refresh_token'])).body).toMatchObject(GRANT)
    expect((await refresh(second.body['refresh_token'])).body).toMatchObject(GRANT)
  }],
  ['9700 2.4', 'there is no grant by password', async () => {
    expect((await token(at.node, { grant_type: 'password', username: 'ana-lovelace', password: 'x' })).body['error']).toBe('unsupported_grant_type')
  }],
  ['9700 2.1.2', 'no token is in the answer of authorize', async () => expect([...(await at.agreed()).searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])],
]

describe.each([
  ['the endpoints', endpoints],
  ['codes', codes],
  ['answers', answers],
  ['PKCE', pkce],
  ['native apps', native],
  ['discovery and issuer', discovery],
  ['best practice', practice],
] as [string, Must[]][])('%s', (_, rows) => {
  it.each(rows)('RFC %s: %s', async (_section, _must, check) => check())
})
