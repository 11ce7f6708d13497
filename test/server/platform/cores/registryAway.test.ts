/**
 * What a core of several answers while the registry is away (docs/interface/conventions.md#cores): hosted accounts go on, and what
 * needs the agreement of all cores is unavailable.
 */
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addApp, findApp } from '../../../../src/server/api/register/appDirectory.js'
import { createClient, revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { revokeKey } from '../../../../src/server/api/oauth/dpopKeys.js'
import { issuerOf } from '../../../../src/server/api/oauth/issuer.js'
import { setName } from '../../../../src/server/platform/dns/names.js'
import { platformUnavailable } from '../../../../src/server/platform/registry/port.js'
import { ADMIN_KEY, withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { keyOf, pollOf } from '../../../support/people/accessRequests.js'
import { addClient, anotherCode, basic, CHALLENGE, consented, exchange, REDIRECT, token, type Consented } from '../../../support/people/oauth.js'

const cores = withCores({ 'core-a': {}, 'core-b': {} })
const [a, b] = [(): TestNode => cores().node('core-a'), (): TestNode => cores().node('core-b')]
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let personal: string
let secret: string
let person: Consented
let code: string
let refreshToken: string
let eventId: string
const at = (path: string, options: Parameters<typeof request>[1] = {}): Promise<Answer> => request(`${a().url}${path}`, options)
const own = (path: string, body?: unknown, method?: string): Promise<Answer> =>
  at(`ana-lovelace/${path}`, { token: personal, ...(body === undefined ? {} : { body }), ...(method === undefined ? {} : { method }) })

beforeAll(async () => {
  personal = await makeAccount(a(), 'ana-lovelace')
  await makeAccount(b(), 'known-there')
  await makeAccount(b(), 'other-there')
  await own('streams', { id: 'diary', name: 'Diary' })
  const { body } = await own('events', { streamIds: ['diary'], type: 'note/txt', content: 'before' })
  eventId = String((body['event'] as { id: string }).id)
  await addApp(a().node, 'weight-diary', { displayName: { en: 'Weight diary' } })
  secret = await addClient(a(), 'study', { confidential: true })
  await createClient(a().node, { clientId: 'asserting', redirectUris: [REDIRECT], jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] } })
  person = await consented(a(), 'study')
  const first = await token(a(), exchange(person.code, 'study'), basic('study', secret))
  refreshToken = String(first.body['refresh_token'])
  code = (await anotherCode(a(), person, 'study')).code
  // Looked up before, so that core-a knows where the account is.
  await at('known-there/access-info')
  cores().platform.stopAnswering()
})
afterAll(() => cores().platform.stopAnswering(false))

const login = { username: 'ana-lovelace', password: 'correct horse', appId: 'app' }

describe('while the registry is away, a core goes on with', () => {
  const going: [what: string, call: () => Promise<Answer>, status: number][] = [
    ['reading events', () => own('events'), 200],
    ['creating events', () => own('events', { streamIds: ['diary'], type: 'note/txt', content: 'now' }), 201],
    ['changing events', () => own(`events/${eventId}`, { content: 'after' }, 'PUT'), 200],
    ['streams', () => own('streams', { name: 'New' }), 201],
    ['series', () => own('events', { streamIds: ['diary'], type: 'series:mass/kg' }), 201],
    ['batches', () => own('', [{ method: 'events.get', params: { limit: 1 } }]), 200],
    ['accesses without an alias', () => own('accesses', { name: 'app', type: 'app', permissions: [{ streamId: 'diary', level: 'read' }] }), 201],
    ['profiles', () => own('profile/public', { name: 'Ana' }, 'PUT'), 200],
    ['sign-in', () => at('ana-lovelace/auth/login', { body: login, headers: { origin: a().url } }), 200],
    ['wrong passwords', () => at('ana-lovelace/auth/login', { body: { ...login, password: 'wrong' }, headers: { origin: a().url } }), 401],
    ['changes of the language', () => own('account', { language: 'fr' }, 'PUT'), 200],
    ['the address of an account that it knows', () => at('known-there/access-info'), 421],
    ['service information', () => at('service/info'), 200],
    ['hostings', () => at('reg/hostings'), 200],
    ['the application directory', () => at('apps/weight-diary'), 200],
    ['access requests of its own', async () => pollOf(a(), await keyOf(a())), 201],
    ['the exchange of OAuth codes', () => token(a(), exchange(code, 'study'), basic('study', secret)), 200],
    ['the refresh of OAuth tokens', () => token(a(), { grant_type: 'refresh_token', refresh_token: refreshToken }, basic('study', secret)), 200],
    ['the rejection of unknown clients', () => token(a(), { grant_type: 'client_credentials' }, basic('nobody', 'wrong')), 401],
    ['the metadata of OAuth', () => at('.well-known/oauth-authorization-server'), 200],
  ]
  it.each(going)('%s', async (_, call, status) => {
    const answer = await call()
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
    expect(answer.headers.get('warning')).toBeNull()
  })

  it('the consequences of revocations that it knows', () => {
    expect(a().node.revocations.isClientRevoked({ client: { id: 'study', since: 0 } })).toBe(false)
    expect(a().node.revocations.isKeyRevoked('k'.repeat(43))).toBe(false)
  })
})

describe('while the registry is away, a core answers 503 platform-unavailable to', () => {
  const unavailable: [what: string, call: () => Promise<Answer>][] = [
    ['the lookup of an account that it does not know', () => at('never-asked/access-info')],
    ['registrations', () => at('users', { body: { username: 'new-person', password: 'correct horse', email: 'new@example.org', appId: 'test-app' } })],
    ['registrations by the operator', () => at('system/create-user', { token: ADMIN_KEY, body: { username: 'new-person', password: 'correct horse', email: 'new@example.org', appId: 'test-app' } })],
    ['the check of a username', () => at('reg/never-asked/check_username')],
    ['the check of an e-mail address', () => at('reg/never@example.org/check_email')],
    ['the core of an account that it does not know', () => at('reg/cores?username=never-asked')],
    ['changes of the username', () => own('account/change-username', { newUsername: 'ana-king' })],
    ['changes of the e-mail address', () => own('account', { email: 'ana@elsewhere.example.org' }, 'PUT')],
    ['accesses with an alias', () => own('accesses', { name: 'hidden', type: 'shared', randomAlias: true, permissions: [{ streamId: 'diary', level: 'read' }] })],
    ['accounts created by a delegate', () => own('delegations/controlled', { username: 'new-managed' })],
    ['the deletion of an account', () => at('users/ana-lovelace', { method: 'DELETE', token: ADMIN_KEY })],
    ['new invitations', () => at('reg/admin/invitations/post?count=1', { token: ADMIN_KEY })],
    ['DNS records', () => at('reg/records', { token: ADMIN_KEY, body: { subdomain: 'www', records: { a: ['192.0.2.1'] } } })],
    ['mail templates', () => at('system/admin/mail/templates/welcome-email/en/subject', { method: 'PUT', token: ADMIN_KEY, body: { pug: '| Hello' } })],
    ['operators of an account that it does not know', () => at('system/user-info/never-asked', { token: ADMIN_KEY })],
    ['access requests of other cores', async () => pollOf(a(), await keyOf(b()))],
  ]
  it.each(unavailable)('%s', async (_, call) => {
    const { status, body, headers } = await call()
    expect({ status, body }).toMatchObject({ status: 503, body: { error: { id: 'platform-unavailable' } } })
    expect(headers.get('retry-after')).toBe('5')
  })

  it.each<[string, () => Promise<unknown>]>([
    ['applications', () => addApp(a().node, 'another-app', { displayName: { en: 'Another' } })],
    ['names', () => setName(a().node, { subdomain: 'www', records: { a: ['192.0.2.1'] } })],
    ['clients', () => createClient(a().node, { clientId: 'another', redirectUris: [REDIRECT] })],
    ['revocations of clients', () => revokeClient(a().node, 'study')],
    ['revocations of keys', () => revokeKey(a().node, 'k'.repeat(43))],
  ])('operators that change %s', (_, change) => expect(change()).rejects.toMatchObject({ id: 'platform-unavailable' }))
})

describe('while the registry is away, OAuth answers temporarily_unavailable to', () => {
  const later = { status: 503, body: { error: 'temporarily_unavailable' } }

  it('client assertions, which are used once on the whole platform', async () => {
    const now = Math.floor(a().node.clock.now())
    const issuer = issuerOf(a().node)
    const client_assertion = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'one' }).setIssuer('asserting').setSubject('asserting').setAudience(`${issuer}/oauth2/token`).setJti('once').setIssuedAt(now).setExpirationTime(now + 60).sign(privateKey)
    const refreshed = { grant_type: 'authorization_code', code: (await anotherCode(a(), person, 'asserting')).code }
    const answer = await token(a(), { ...exchange(refreshed.code, 'asserting'), client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', client_assertion })
    expect(answer).toMatchObject(later)
    expect(answer.headers.get('retry-after')).toBe('5')
  })

  it('authorizations that cannot read the client', async () => {
    const { records } = a().node.registry
    const { get } = records
    Object.assign(records, { get: () => Promise.reject(platformUnavailable()) })
    const query = new URLSearchParams({ client_id: 'study', redirect_uri: REDIRECT, response_type: 'code', scope: 'cmc:study', state: 's', code_challenge: CHALLENGE, code_challenge_method: 'S256' })
    const answer = await at(`oauth2/authorize?${query}`)
    Object.assign(records, { get })
    expect(answer).toMatchObject(later)
  })
})

it('all of it is available again afterwards', async () => {
  cores().platform.stopAnswering(false)
  expect((await at('never-asked/access-info')).status).toBe(404)
  expect((await at('users', { body: { username: 'new-person', password: 'correct horse', email: 'new@example.org', appId: 'test-app' } })).status).toBe(200)
  expect(await findApp(a().node, 'another-app')).toBeUndefined()
})
