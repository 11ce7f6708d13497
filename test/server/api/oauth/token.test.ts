/**
 * Token endpoint: grants authorization_code and client_credentials, and common rules (docs/interface/oauth.md#tokens).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { addClient, anotherCode, basic, consented, exchange, letsIn, post, token, VERIFIER, type Consented } from '../../../support/people/oauth.js'

let node: TestNode
let clock: FakeClock
let secret: string
beforeAll(async () => {
  clock = fakeClock()
  node = await startTestNode({}, { clock })
  await addClient(node, 'public-app')
  secret = await addClient(node, 'secret-app', { confidential: true })
})
afterAll(() => node.stop())

const accessIds = async ({ username, owner }: Consented): Promise<string[]> => {
  const { body } = await request(`${node.url}${username}/accesses`, { token: owner })
  return (body['accesses'] as { id: string }[]).map(({ id }) => id)
}

describe('the token endpoint', () => {
  it('returns JSON that is not cached, for every origin', async () => {
    const { headers } = await token(node, {})
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, GET, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Authorization, DPoP',
      'access-control-expose-headers': 'API-Version, WWW-Authenticate',
      'access-control-max-age': '3600',
      vary: 'Origin',
    })
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('responds to OPTIONS with 204 and the headers for other origins', async () => {
    const response = await fetch(`${node.url}oauth2/token`, { method: 'OPTIONS', headers: { origin: 'https://app.example' } })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toBe('Content-Type, Authorization, DPoP')
  })

  const refused: [string, Record<string, string | undefined>, string][] = [
    ['no grant type', { client_id: 'public-app' }, 'invalid_request'],
    ['an unknown grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant type that is an inherited property', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['no code', exchange('', 'public-app'), 'invalid_request'],
    ['no verifier', exchange('c', 'public-app', { code_verifier: undefined }), 'invalid_request'],
    ['no client', exchange('c', 'public-app', { client_id: undefined }), 'invalid_request'],
    ['no redirect URI', exchange('c', 'public-app', { redirect_uri: undefined }), 'invalid_request'],
    ['an unknown code', exchange('c', 'public-app'), 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token', client_id: 'public-app' }, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', client_id: 'public-app', refresh_token: 'x' }, 'invalid_grant'],
    ['a refresh without client', { grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_request'],
  ]
  it.each(refused)('refuses %s', async (_, body, error) => {
    expect(await token(node, body)).toMatchObject({ status: 400, body: { error } })
    expect(await post(node, 'oauth2/token', body, { json: true })).toMatchObject({ status: 400, body: { error } })
  })

  it('responds to a malformed body with an OAuth error', async () => {
    const headers = { 'content-type': 'application/json' }
    const grant = { method: 'POST', headers }
    expect(await request(`${node.url}oauth2/token`, { ...grant, body: '{' })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(await request(`${node.url}oauth2/token`, { ...grant, body: '[]' })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const large = await request(`${node.url}oauth2/token`, { ...grant, body: JSON.stringify({ a: 'x'.repeat(2_000_000) }) })
    expect(large).toMatchObject({ status: 413, body: { error: 'invalid_request' } })
  })
})

describe('a code', () => {
  it('is exchanged for tokens once, and refused afterwards', async () => {
    const person = await consented(node, 'public-app')
    const { status, body } = await token(node, exchange(person.code, 'public-app'))
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['access_token', 'apiEndpoint', 'expires_in', 'refresh_token', 'scope', 'token_type'])
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'cmc:study' })
    expect(body['refresh_token']).toMatch(/^[\w-]{43}$/)
    expect(body['apiEndpoint']).toBe(`${node.url.replace('://', `://${String(body['access_token'])}@`)}${person.username}/`)
    expect(await letsIn(node, person.username, String(body['access_token']))).toBe(true)
    const again = await token(node, exchange(person.code, 'public-app'))
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_description: 'code is invalid or already used' } })
    expect(await letsIn(node, person.username, String(body['access_token']))).toBe(true)
  })

  it('is accepted once in fifty concurrent calls', async () => {
    const { code } = await consented(node, 'public-app')
    const answers = await Promise.all(Array.from({ length: 50 }, () => token(node, exchange(code, 'public-app'))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status, body }) => status === 400 && body['error'] === 'invalid_grant')).toHaveLength(49)
  })

  it('is accepted as JSON and for an unregistered client', async () => {
    const { code } = await consented(node, 'nobody-knows')
    expect((await post(node, 'oauth2/token', exchange(code, 'nobody-knows'), { json: true })).status).toBe(200)
  })

  it('expires after ten minutes', async () => {
    const early = await consented(node, 'public-app')
    clock.pass(599)
    expect((await token(node, exchange(early.code, 'public-app'))).status).toBe(200)
    const late = await consented(node, 'public-app')
    clock.pass(600)
    expect(await token(node, exchange(late.code, 'public-app'))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  const invalidating: [string, Record<string, string | undefined>, Record<string, string>, number, string][] = [
    ['another verifier', { code_verifier: VERIFIER + 'x' }, {}, 400, 'invalid_grant'],
    ['another client', { client_id: 'secret-app' }, {}, 400, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://app.example/other' }, {}, 400, 'invalid_grant'],
    ['a header of another client', {}, basic('secret-app', 'x'), 401, 'invalid_client'],
  ]
  it.each(invalidating)('is invalidated by %s, and its access is deleted', async (_, more, headers, status, error) => {
    const person = await consented(node, 'public-app')
    expect(await accessIds(person)).toContain(person.accessId)
    expect(await token(node, exchange(person.code, 'public-app', more), headers)).toMatchObject({ status, body: { error } })
    expect(await accessIds(person)).not.toContain(person.accessId)
    expect(await token(node, exchange(person.code, 'public-app'))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('remains valid after a call with a missing parameter', async () => {
    const { code } = await consented(node, 'public-app')
    expect((await token(node, exchange(code, 'public-app', { code_verifier: undefined }))).status).toBe(400)
    expect((await token(node, exchange(code, 'public-app'))).status).toBe(200)
  })
})

describe('a confidential client', () => {
  const methods: [string, (secretText: string) => [Record<string, string | undefined>, Record<string, string>]][] = [
    ['by Basic', (secretText) => [{}, basic('secret-app', secretText)]],
    ['by Basic in lower case', (secretText) => [{}, basic('secret-app', secretText, 'basic')]],
    ['by Basic alone', (secretText) => [{ client_id: undefined }, basic('secret-app', secretText)]],
    ['by its body', (secretText) => [{ client_secret: secretText }, {}]],
    ['by Basic beside a wrong body', (secretText) => [{ client_secret: 'wrong' }, basic('secret-app', secretText)]],
    ['by its body beside a malformed Basic', (secretText) => [{ client_secret: secretText }, { authorization: 'Basic ???' }]],
  ]
  it.each(methods)('authenticates %s', async (_, credentials) => {
    const { code } = await consented(node, 'secret-app')
    const [body, headers] = credentials(secret)
    expect((await token(node, exchange(code, 'secret-app', body), headers)).status).toBe(200)
  })

  it('is refused without a secret and with a wrong one', async () => {
    const first = await consented(node, 'secret-app')
    const bare = await token(node, exchange(first.code, 'secret-app'))
    expect(bare).toMatchObject({ status: 401, body: { error: 'invalid_client', error_description: 'client authentication required' } })
    expect(bare.headers.get('www-authenticate')).toBeNull()
    expect(await accessIds(first)).not.toContain(first.accessId)
    const second = await consented(node, 'secret-app')
    const wrong = await token(node, exchange(second.code, 'secret-app', {}), basic('secret-app', 'wrong'))
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client', error_description: 'client authentication failed' } })
    expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="coffer"')
  })
})

describe('client_credentials', () => {
  let app: string
  beforeAll(async () => {
    await makeAccount(node, 'the-app')
    const more = { confidential: true, username: 'the-app', grantTypes: ['client_credentials'] }
    app = await addClient(node, 'machine', { ...more, scope: ['app:own-data', 'app:more'] })
  })
  const grant = { grant_type: 'client_credentials' }

  it('returns an access to the whole app account, without a refresh token', async () => {
    const { status, body } = await token(node, grant, basic('machine', app))
    expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600, scope: 'app:own-data app:more' } })
    expect(body).not.toHaveProperty('refresh_token')
    const info = await request(`${node.url}the-app/access-info`, { token: String(body['access_token']) })
    expect(info.body).toMatchObject({ type: 'app', name: 'oauth:machine' })
    expect(info.body['permissions']).toContainEqual({ streamId: '*', level: 'manage' })
    clock.pass(3601)
    expect(await letsIn(node, 'the-app', String(body['access_token']))).toBe(false)
  })

  it('narrows the scope', async () => {
    const { body } = await token(node, { ...grant, scope: 'app:more', client_id: 'machine', client_secret: app })
    expect(body['scope']).toBe('app:more')
  })

  const refused: [string, () => [Record<string, string>, Record<string, string>], number, string, string?][] = [
    ['no client', () => [{}, {}], 401, 'invalid_client'],
    ['an unknown client', () => [{ client_id: 'no-such-client' }, {}], 401, 'invalid_client'],
    ['a wrong secret', () => [{}, basic('machine', 'wrong')], 401, 'invalid_client'],
    ['no secret', () => [{ client_id: 'machine' }, {}], 401, 'invalid_client'],
    ['a public client', () => [{ client_id: 'public-app' }, {}], 401, 'invalid_client', 'rotate-secret'],
    ['a client without the grant, before its secret is checked', () => [{}, basic('secret-app', 'wrong')], 400, 'unauthorized_client'],
    ['an unregistered scope', () => [{ scope: 'app:other' }, basic('machine', app)], 400, 'invalid_scope'],
    ['a scope of user consent', () => [{ scope: 'cmc:study' }, basic('machine', app)], 400, 'invalid_scope'],
  ]
  it.each(refused)('refuses %s', async (_, inputs, status, error, text = '') => {
    const [body, headers] = inputs()
    const answer = await token(node, { ...grant, ...body }, headers)
    expect(answer).toMatchObject({ status, body: { error, error_description: expect.stringContaining(text) as string } })
  })

  it('fails with a server error after the deletion of the account of the client', async () => {
    await makeAccount(node, 'short-lived')
    const own = await addClient(node, 'homeless', { confidential: true, username: 'short-lived', grantTypes: ['client_credentials'] })
    const deletion = await request(`${node.url}users/short-lived`, { method: 'DELETE', token: node.node.config.get('auth.adminAccessKey') ?? '' })
    expect(deletion.status).toBe(200)
    expect(await token(node, grant, basic('homeless', own))).toMatchObject({ status: 500, body: { error: 'server_error' } })
  })
})

it('creates one access per exchange', async () => {
  const person = await consented(node, 'public-app')
  const more = await anotherCode(node, person, 'public-app')
  await token(node, exchange(person.code, 'public-app'))
  await token(node, exchange(more.code, 'public-app'))
  expect(await accessIds(person)).toEqual(expect.arrayContaining([person.accessId, more.accessId]))
})
