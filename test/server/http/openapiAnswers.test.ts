/** Answers of every served method match the schemas of the OpenAPI document. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { methods } from '../../../src/server/api/methods.js'
import { controlledAccounts, delegates } from '../../../src/store/accesses/delegations.js'
import { grantAccess } from '../../support/people/access.js'
import { testMailer } from '../../support/services/mail.js'
import { sendParts } from '../../support/http/multipart.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startReceiver } from '../../support/services/webhookReceiver.js'
import { startSmtpSink, type SmtpSink } from '../../support/services/smtp.js'
import { codeAt } from '../../support/people/totp.js'
import { addClient } from '../../support/people/oauth.js'
import { ssoOn } from '../../support/people/sso.js'
import { mintToken } from '../../../src/server/platform/joining/tokens.js'
import { coreRecord, fakeRegistry } from '../platform/joining/support.js'

interface Operation {
  operationId: string
  responses: Record<string, object>
}

type Paths = Record<string, Record<string, Operation>>

interface CallOptions {
  /** Path parameters; `username` defaults to alice. */
  path?: Record<string, string>
  query?: string
  body?: unknown
  /** Token of the call, the owner's by default; null for none. */
  token?: string | null
  headers?: Record<string, string>
}

const mail = testMailer()
let node: TestNode
let owner: string
let adminKey: string
let sink: SmtpSink
let paths: Paths
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
beforeAll(async () => {
  sink = await startSmtpSink()
  const settings = {
    ...sink.settings,
    ...ssoOn,
    'versioning.forceKeepHistory': true,
    'versioning.deletionMode': 'keep-authors',
    appList: { 'heart-watch': { displayName: 'Heart Watch', support: ['a@b'] } },
    'auth.emailVerificationPageURL': 'https://page.example',
    'auth.passwordResetPageURL': 'https://example.org/reset',
  }
  node = await startTestNode(settings, { mail })
  owner = await registerUser(node, 'alice')
  const config = parse(readFileSync(node.places.config, 'utf8')) as { auth: { adminAccessKey: string } }
  adminKey = config.auth.adminAccessKey
  const { body } = await request(`${node.url}openapi.json`)
  paths = body['paths'] as Paths
  ajv.addSchema(body, 'openapi')
})
afterAll(async () => {
  await node.stop()
  await sink.stop()
})

/** Operations that have succeeded in a test. */
const succeeded = new Set<string>()

function operationOf(id: string): { path: string; verb: string; operation: Operation } {
  for (const [path, verbs] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      if (operation.operationId === id) return { path, verb, operation }
    }
  }
  throw new Error(`no operation ${id}`)
}

function schemaOf(path: string, verb: string, status: string): ValidateFunction {
  const pointer = ['paths', path, verb, 'responses', status, 'content', 'application/json', 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const validate = ajv.getSchema(`openapi#/${pointer}`)
  if (validate === undefined) throw new Error(`no schema for ${verb} ${path} ${status}`)
  return validate
}

/** Calls an operation; checks that the document contains its status, and its answer against the schema. */
async function call(id: string, status: number, options: CallOptions = {}): Promise<{ body: Record<string, unknown> }> {
  const { path = {}, query = '', body, token = owner, headers } = options
  const { path: template, verb, operation } = operationOf(id)
  const values: Record<string, string> = { username: 'alice', ...path }
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const url = node.url.slice(0, -1) + filled + query
  const response = await fetch(url, {
    method: verb.toUpperCase(),
    redirect: 'manual',
    headers: {
      ...headers,
      ...(token === null ? {} : { authorization: token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> }
  expect({ id, status: answer.status, body: answer.body }).toMatchObject({ id, status })
  const documented = Object.hasOwn(operation.responses, String(status)) ? String(status) : 'default'
  if (status < 400) {
    succeeded.add(id)
    expect(documented).toBe(String(status))
  }
  const validate = schemaOf(template, verb, documented)
  const isValid = validate(answer.body)
  const verdict = { id, status, isValid, errors: validate.errors ?? [], body: answer.body }
  expect(verdict).toMatchObject({ isValid: true, errors: [] })
  return answer
}

describe('answers match the OpenAPI document', () => {
  it('of the node', async () => {
    await call('openapi', 200)
    await call('service.info', 200)
    for (const id of ['eventTypes', 'definitions', 'signInMessages']) await call(`assets.${id}`, 200)
    const texts = [
      ['assets.css', 'default.css', 'text/css'],
      ['assets.favicon', 'favicon.svg', 'image/svg+xml'],
      ['assets.signInButton', 'sign-in/button.html', 'text/html'],
      ['assets.signInStyles', 'sign-in/button.css', 'text/css'],
    ] as const
    for (const [id, path, type] of texts) {
      expect(operationOf(id).operation.responses).toMatchObject({ 200: { content: { [type]: {} } } })
      const { status, headers } = await request(`${node.url}assets/${path}`)
      expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
      succeeded.add(id)
    }
    await call('reg.hostings', 200)
    await call('reg.setRecords', 200, { token: adminKey, body: { subdomain: 'www', records: { a: ['192.0.2.1'], txt: ['x'] } } })
    await call('reg.setRecords', 400, { token: adminKey, body: { subdomain: 'www', records: {} } })
    await call('reg.setRecords', 403, { body: { subdomain: 'www', records: {} } })
    await call('reg.deleteRecords', 200, { token: adminKey, path: { subdomain: 'www' } })
    await call('reg.deleteRecords', 404, { token: adminKey, path: { subdomain: 'www' } })
  })

  it('of registration', async () => {
    const account = { username: 'bobby', password: 'correct horse', email: 'bobby@example.org', appId: 'test-app' }
    await call('auth.register', 200, { body: account, token: null })
    await call('auth.register', 409, { body: account, token: null })
    await call('auth.register', 400, { body: { username: 'x' }, token: null })
    await call('reg.checkUsername', 200, { path: { username: 'bobby' } })
    await call('reg.checkUsername', 400, { path: { username: 'x' } })
    await call('reg.checkEmail', 200, { path: { email: 'bobby@example.org' } })
    await call('reg.usernameOf', 200, { path: { email: 'bobby@example.org' } })
    await call('reg.usernameOf', 404, { path: { email: 'nobody@example.org' } })
    await call('reg.uidOf', 200, { path: { email: 'bobby@example.org' } })
    await call('reg.serverOf', 200, { path: { username: 'bobby' } })
    await call('reg.serverOf', 404, { path: { username: 'nobody' } })
    await call('reg.toServer', 302, { path: { username: 'bobby' } })
    await call('reg.cores', 200, { query: '?username=bobby' })
    await call('reg.cores', 404, { query: '?username=nobody' })
    await call('reg.cores', 400)
    await call('reg.apps', 200)
    await call('reg.app', 200, { path: { appid: 'heart-watch' } })
    await call('reg.app', 404, { path: { appid: 'nothing' } })
    await call('invitations.post', 200, { query: '?count=2&message=x', token: adminKey })
    await call('invitations.post', 400, { query: '?count=0', token: adminKey })
    const { body } = await call('invitations.get', 200, { token: adminKey })
    await call('invitations.get', 404)
    await call('auth.emailChallenge', 403, { body: { email: 'a@b' } })
    await call('auth.emailChallengeVerify', 403, { body: { email: 'a@b', code: 'x' } })
    // register/emailChallenge.test.ts tests these answers on a node that requires e-mail verification.
    const { meta } = body
    expect(schemaOf('/reg/email-challenge', 'post', '200')({ sent: true, meta })).toBe(true)
    expect(schemaOf('/reg/email-challenge/verify', 'post', '200')({ emailProof: 'x', meta })).toBe(true)
    for (const id of ['auth.emailChallenge', 'auth.emailChallengeVerify']) succeeded.add(id)
    const check = await request(`${node.url}access/invitationtoken/check`, { body: {} })
    expect(operationOf('reg.checkInvitation').operation.responses).toMatchObject({ 200: { content: { 'text/plain': {} } } })
    expect([check.status, check.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/) as string])
    succeeded.add('reg.checkInvitation')
    await call('auth.delete', 403, { path: { username: 'bobby' }, token: 'no-key' })
    await call('auth.delete', 200, { path: { username: 'bobby' }, token: adminKey })
  })

  it('of sessions', async () => {
    const own = { username: 'alice', password: 'correct horse', appId: 'other-app' }
    const headers = { origin: 'http://localhost' }
    const { body } = await call('auth.login', 200, { body: own, token: null, headers })
    await call('auth.login', 401, { body: { ...own, password: 'wrong' }, token: null, headers })
    await call('auth.sessions', 200, { token: String(body['token']) })
    await call('auth.sessions', 401, { token: null })
    await call('auth.endSessions', 200, { token: String(body['token']), body: { ids: ['unknown'] } })
    await call('auth.endSessions', 400, { token: String(body['token']), body: { ids: 'all' } })
    await call('auth.logout', 200, { token: String(body['token']), body: {} })
    await call('auth.logout', 403, { token: String(body['token']), body: {} })
    await call('auth.logout', 401, { token: null, body: {} })
  })

  it('of the second factor', async () => {
    const headers = { origin: 'http://localhost' }
    const own = { username: 'alice', password: 'correct horse', appId: 'test-app' }
    const code = (secret: unknown, step = 0): string => codeAt(String(secret), Date.now() / 1000 + 30 * step)
    await call('mfa.activate', 400, { body: { method: 'none' } })
    const { body } = await call('mfa.activate', 302, { body: {} })
    const token = String(body['mfaToken'])
    await call('mfa.confirm', 403, { body: {}, token: null })
    const { body: codes } = await call('mfa.confirm', 200, { body: { code: code(body['secret'], -1) }, token })
    const { body: login } = await call('auth.login', 302, { body: own, token: null, headers })
    const loginToken = String(login['mfaToken'])
    await call('mfa.challenge', 200, { body: {}, token: loginToken })
    await call('mfa.verify', 400, { body: {}, token: loginToken })
    await call('mfa.verify', 200, { body: { code: code(body['secret']) }, token: loginToken })
    const { username, password } = own
    const [recoveryCode] = codes['recoveryCodes'] as string[]
    await call('mfa.recover', 200, { body: { username, password, recoveryCode }, token: null })
    await call('mfa.deactivate', 200, { body: {} })
    const url = `${node.url}system/users/alice/mfa`
    expect((await request(url, { method: 'DELETE', token: adminKey })).status).toBe(204)
    succeeded.add('system.deactivateMfa')
    await call('system.deactivateMfa', 404, { token: null })
  })

  it('of passwords', async () => {
    const account = { username: 'barbara', password: 'correct horse', email: 'barbara@example.org', appId: 'test-app' }
    const { body } = await call('auth.register', 200, { body: account, token: null })
    const by = { path: { username: 'barbara' }, token: String(body['token']) }
    const passwords = { oldPassword: 'correct horse', newPassword: 'battery staple' }
    await call('account.changePassword', 200, { ...by, body: passwords })
    await call('account.changePassword', 400, { ...by, body: passwords })
    const open = { path: { username: 'barbara' }, token: null, headers: { origin: 'http://localhost' } }
    await call('account.requestPasswordReset', 200, { ...open, body: { appId: 'test-app' } })
    await call('account.requestPasswordReset', 429, { ...open, body: { appId: 'test-app' } })
    const reset = { appId: 'test-app', resetToken: mail.latest('barbara@example.org', 'RESET_TOKEN'), newPassword: 'some words' }
    await call('account.resetPassword', 200, { ...open, body: reset })
    await call('account.resetPassword', 401, { ...open, body: reset })
  })

  it('of an account', async () => {
    await call('service.info.ofAccount', 200)
    await call('service.info.ofAccount', 404, { path: { username: 'nobody' } })
    await call('getAccessInfo', 200)
    const { token } = await grantAccess(
      node,
      'alice',
      [
        { streamId: 'home', level: 'read' },
        { feature: 'selfRevoke', setting: 'forbidden' },
      ],
      { clientData: { a: 1 }, expires: 4e9, deviceName: 'phone' },
    )
    await call('getAccessInfo', 200, { token })
    const old = await grantAccess(node, 'alice', [], { expires: 12 })
    await call('getAccessInfo', 403, { token: old.token })
    await call('accesses.get', 400, { query: '?includeExpired=perhaps' })
  })

  it('of streams', async () => {
    await call('streams.create', 201, { body: { id: 'home', name: 'Home', clientData: { a: { b: [null] } } } })
    await call('streams.create', 201, { body: { id: 'room', name: 'Room', parentId: 'home' } })
    await call('streams.create', 409, { body: { id: 'room', name: 'Other' } })
    await call('streams.create', 400, { body: { id: 'x', name: 7 } })
    await call('streams.update', 200, { path: { id: 'room' }, body: { name: 'Chamber', parentId: null } })
    await call('streams.update', 404, { path: { id: 'none' }, body: { name: 'X' } })
    await call('streams.get', 200)
    await call('streams.get', 200, { query: '?state=all&includeDeletionsSince=0' })
    await call('streams.get', 400, { query: '?state=odd' })
    const { token } = await grantAccess(node, 'alice', [{ streamId: 'home', level: 'read' }])
    await call('streams.get', 200, { token })
    await call('streams.create', 403, { token, body: { name: 'Mine' } })
    await call('streams.delete', 200, { path: { id: 'room' } })
    await call('streams.get', 200, { query: '?state=all' })
    await call('streams.delete', 200, { path: { id: 'room' } })
    await call('streams.delete', 404, { path: { id: 'room' } })
    await call('streams.get', 200, { query: '?includeDeletionsSince=0' })
  })

  it('of events', async () => {
    const made = await call('events.create', 201, {
      body: {
        streamIds: ['home'],
        type: 'note/txt',
        content: 'x',
        duration: null,
        tags: ['t'],
        description: 'd',
        clientData: { a: 1 },
      },
    })
    const { id } = made.body['event'] as { id: string }
    await call('events.create', 400, { body: { streamIds: ['none'], type: 'note/txt' } })
    await call('events.update', 200, { path: { id }, body: { content: 'y', duration: 3, time: 5 } })
    await call('events.update', 403, { path: { id }, body: { created: 1 } })
    await call('events.getOne', 200, { path: { id } })
    await call('events.getOne', 200, { path: { id }, query: '?includeHistory=true' })
    await call('events.getOne', 404, { path: { id: 'none' } })
    await call('events.get', 200)
    await call('events.summary', 200)
    await call('events.summary', 400, { query: '?points=0' })
    await call('streams.summary', 200)
    await call('events.get', 400, { query: '?limit=-1' })
    await call('events.delete', 200, { path: { id } })
    await call('events.get', 200, { query: '?state=all' })
    await call('events.delete', 200, { path: { id } })
    await call('events.delete', 404, { path: { id } })
    await call('events.get', 200, { query: '?state=all&includeDeletions=true&modifiedSince=0' })
  })

  it('of profile sets', async () => {
    const { token } = await grantAccess(node, 'alice', [])
    await call('profile.updatePublic', 200, { body: { name: 'Alice', deep: { a: [null] } } })
    await call('profile.updatePublic', 400, { body: [] })
    await call('profile.getPublic', 200, { token })
    await call('profile.updatePrivate', 200, { body: { a: 1 } })
    await call('profile.updatePrivate', 400, { body: { mfa: 1 } })
    await call('profile.getPrivate', 200)
    await call('profile.getPrivate', 403, { token })
    await call('profile.updateApp', 200, { body: { a: 1 }, token })
    await call('profile.getApp', 200, { token })
    await call('profile.getApp', 400)
    await call('profile.update', 200, { path: { id: 'public' }, body: { name: null } })
    await call('profile.get', 200, { path: { id: 'public' } })
    await call('profile.get', 404, { path: { id: 'none' } })
  })

  it('of series', async () => {
    await call('streams.create', 201, { body: { id: 'measures', name: 'Measures' } })
    const { body } = await call('events.create', 201, { body: { streamIds: ['measures'], type: 'series:ratio/generic' } })
    const id = String((body['event'] as Record<string, unknown>)['id'])
    const points = { format: 'flatJSON', fields: ['deltaTime', 'value', 'relativeTo'], points: [[0, 1, 2]] }
    await call('series.add', 200, { path: { id }, body: points })
    await call('series.add', 400, { path: { id }, body: { ...points, format: 'x' } })
    await call('series.add', 400, { path: { id }, body: points, token: null })
    await call('series.batch', 200, { body: { format: 'seriesBatch', data: [{ eventId: id, data: points }] } })
    await call('series.get', 200, { path: { id } })
    await call('series.get', 401, { path: { id }, token: null })
    await call('series.get', 404, { path: { id: 'none' } })
    await call('series.summary', 200, { path: { id } })
    await call('series.summary', 401, { path: { id }, token: null })
    await call('series.summary', 404, { path: { id: 'none' } })
  })

  it('of followed slices', async () => {
    const slice = { name: 'Bob', url: 'https://bob.example.org/', accessToken: 'bob-token-1' }
    const { body } = await call('followedSlices.create', 201, { body: slice })
    const { id } = body['followedSlice'] as { id: string }
    await call('followedSlices.create', 409, { body: slice })
    await call('followedSlices.create', 400, { body: { ...slice, id: 'x' } })
    await call('followedSlices.get', 200)
    await call('followedSlices.update', 200, { path: { id }, body: { name: 'Robert' } })
    await call('followedSlices.update', 404, { path: { id: 'none' }, body: { name: 'Robert' } })
    await call('followedSlices.delete', 200, { path: { id } })
    await call('followedSlices.delete', 404, { path: { id } })
  })

  it('of devices', async () => {
    const other = await startTestNode()
    const token = await registerUser(other, 'alice')
    const there = async (path: string): Promise<Record<string, unknown>> => (await request(`${other.url}alice/devices/${path}`, { token, body: {} })).body
    const { body: offered } = await call('devices.startPairing', 201, { body: {} })
    await call('devices.startPairing', 400, { body: { address: 'none' } })
    const pending = (offered['pairing'] as { id: string }).id
    await call('devices.pairings', 200)
    await call('devices.confirmPairing', 400, { path: { id: pending }, body: {} })
    await call('devices.cancelPairing', 200, { path: { id: pending } })
    await call('devices.cancelPairing', 404, { path: { id: pending } })
    const { link, pairing } = (await there('pairings')) as { link: string; pairing: { id: string } }
    const { body: met } = await call('devices.acceptPairing', 201, { body: { link } })
    await call('devices.acceptPairing', 400, { body: { link } })
    const { id: accepted } = met['pairing'] as { id: string }
    const { body: confirmed } = await call('devices.confirmPairing', 200, { path: { id: accepted }, body: {} })
    expect(confirmed['pairing']).toMatchObject({ state: 'met', confirmed: true })
    await there(`pairings/${pairing.id}/confirm`)
    const id = await vi.waitFor(async () => {
      const { body } = await call('devices.get', 200)
      const [device] = body['devices'] as { id: string }[]
      expect(device).toBeDefined()
      return device?.id ?? ''
    }, { timeout: 20_000 })
    await call('devices.history', 200, { path: { id } })
    await call('devices.history', 404, { path: { id: 'none' } })
    await call('devices.conflicts', 200)
    await call('devices.update', 200, { path: { id }, body: { paused: true, name: 'phone' } })
    await call('devices.update', 404, { path: { id: 'phone' }, body: { paused: true } })
    await call('devices.delete', 200, { path: { id } })
    await call('devices.delete', 404, { path: { id } })
    await other.stop()
  })

  it('of webhooks', async () => {
    const receiver = await startReceiver()
    const { token } = await grantAccess(node, 'alice', [{ streamId: '*', level: 'read' }])
    const options = { token, body: { url: receiver.url, scopes: { all: { query: {} } } } }
    const { body } = await call('webhooks.create', 201, options)
    const { id } = body['webhook'] as { id: string }
    await call('webhooks.create', 409, options)
    await call('webhooks.create', 403, { body: { url: receiver.url } })
    await call('webhooks.create', 400, { token, body: { url: 5 } })
    await call('webhooks.test', 200, { path: { id }, body: {} })
    await receiver.stop()
    await call('webhooks.test', 400, { path: { id }, body: {} })
    await call('webhooks.get', 200)
    await call('webhooks.getOne', 200, { path: { id } })
    await call('webhooks.getOne', 404, { path: { id: 'none' } })
    await call('webhooks.update', 200, { path: { id }, body: { state: 'active', scopes: null } })
    await call('webhooks.update', 403, { path: { id }, body: { url: 'http://x' } })
    await call('webhooks.delete', 200, { path: { id } })
    await call('webhooks.delete', 404, { path: { id } })
  })
  it('of shared secrets', async () => {
    const onConsumed = { message: 'gone', returnUrl: 'https://app.example/' }
    const options = { ttl: 60, title: 't', onConsumed, secret: { a: 1 }, signature: { type: 'secret', value: 'x' } }
    const { body } = await call('sharedSecrets.create', 201, { body: options })
    const { key } = body['sharedSecret'] as { key: string }
    await call('sharedSecrets.create', 400, { body: { ...options, ttl: 0 } })
    await call('sharedSecrets.getOne', 200, { body: { key } })
    await call('sharedSecrets.getOne', 404, { body: { key: 'none' } })
    const retrieval = { token: null, body: { key, signature: { type: 'secret', payload: 'x' } } }
    await call('sharedSecrets.retrieve', 200, retrieval)
    await call('sharedSecrets.retrieve', 403, retrieval)
    await call('sharedSecrets.retrieve', 404, { token: null, body: {} })
  })

  it('of accesses', async () => {
    const shared = { name: 'doctor', permissions: [{ streamId: 'home', level: 'read' }], clientData: { a: 1 } }
    const app = { ...shared, name: 'an-app', type: 'app', randomAlias: true, expireAfter: 1000, deviceName: 'x' }
    const made = await call('accesses.create', 201, { body: app })
    const { id, token } = made.body['access'] as { id: string; token: string }
    await call('accesses.create', 409, { body: app })
    await call('accesses.create', 400, { body: { name: 'x' } })
    await call('accesses.create', 201, { body: shared, token })
    await call('accesses.create', 403, { body: app, token })
    await call('getAccessInfo', 200, { token })
    await call('accesses.get', 200, { query: '?includeExpired=true' })
    await call('accesses.get', 200, { token })
    await call('accesses.update', 200, { path: { id }, body: { name: 'other' } })
    await call('accesses.update', 409, { path: { id }, body: { name: 'other' } })
    await call('accesses.update', 410, { path: { id }, body: { name: 'other' }, token })
    await call('accesses.update', 403, { path: { id }, body: { type: 'shared' } })
    await call('accesses.getOne', 200, { path: { id: `${id}:1` }, query: '?includeHistory=true' })
    await call('accesses.getOne', 404, { path: { id: 'none' } })
    const options = { streamId: 'home', level: 'read', defaultName: 'Home' }
    const body = { requestingAppId: 'an-app', requestedPermissions: [options, { ...options, streamId: 'new' }] }
    await call('accesses.checkApp', 200, { body })
    await call('accesses.checkApp', 200, { body: { ...body, requestingAppId: 'other', deviceName: 'x' } })
    await call('accesses.checkApp', 403, { body, token })
    await call('accesses.delete', 409, { path: { id } })
    await call('accesses.delete', 200, { path: { id: `${id}:1` } })
    await call('accesses.delete', 404, { path: { id } })
    await call('accesses.get', 200, { query: '?includeDeletions=true' })
  })

  it('of access requests', async () => {
    const options = { requestingAppId: 'heart-watch', requestedPermissions: [{ streamId: 'heart', level: 'read' }] }
    const create = async (more: Record<string, unknown> = {}): Promise<{ path: { key: string } }> => {
      const { body } = await call('accessRequest.ask', 201, { body: { ...options, ...more }, token: null })
      return { path: { key: String(body['key']) } }
    }
    await call('accessRequest.ask', 400, { body: {} })
    const accepted = await create({ deviceName: 'phone', consent: null })
    await call('accessRequest.poll', 201, accepted)
    await call('accessRequest.decide', 400, { ...accepted, body: {} })
    await call('accessRequest.decide', 200, { ...accepted, body: { status: 'ACCEPTED', username: 'alice', token: 'x' } })
    await call('accessRequest.poll', 200, accepted)
    const refused = await create()
    await call('accessRequest.decide', 403, { ...refused, body: { status: 'REFUSED' } })
    await call('accessRequest.poll', 403, refused)
    await call('accessRequest.poll', 400, { path: { key: 'x' } })
  })

  it('of files', async () => {
    const parts = [
      { name: 'event', data: '{"streamIds":["home"],"type":"a/b"}' },
      { name: 'file', fileName: 'a', type: 'text/plain', data: 'x' },
    ]
    const sent = await sendParts({ node, username: 'alice', owner }, '/events', parts)
    const { id, attachments } = sent.body['event'] as { id: string; attachments: { id: string; readToken: string }[] }
    expect(schemaOf('/{username}/events', 'post', '201')(sent.body)).toBe(true)
    const [file] = attachments
    await call('events.addAttachment', 200, { path: { id }, body: {} })
    await call('events.addAttachment', 404, { path: { id: 'none' }, body: {} })
    const { path, verb, operation } = operationOf('events.getAttachment')
    expect([path, verb]).toEqual(['/{username}/events/{id}/{fileId}', 'get'])
    expect(operation).toMatchObject({ parameters: expect.arrayContaining([expect.objectContaining({ name: 'readToken' })]) as unknown })
    const bytes = await fetch(`${node.url}alice/events/${id}/${file?.id}?readToken=${file?.readToken}`)
    expect([bytes.status, await bytes.text()]).toEqual([200, 'x'])
    succeeded.add('events.getAttachment')
    await call('events.getAttachment', 404, { path: { id, fileId: 'none' } })
    const preview = await fetch(`${node.url}alice/events/${id}.jpg`, { headers: { authorization: owner } })
    expect(preview.status).toBe(204)
    succeeded.add('events.preview')
    await call('events.preview', 404, { path: { id: 'none' } })
    await call('events.deleteAttachment', 200, { path: { id, fileId: file?.id ?? '' } })
    await call('events.deleteAttachment', 404, { path: { id, fileId: file?.id ?? '' } })
  })

  it('of the methods of an account', async () => {
    await call('account.get', 200)
    await call('account.update', 200, { body: { language: 'fr', emails: { add: ['alice@second.example'] } } })
    await registerUser(node, 'rival')
    await call('account.update', 409, { body: { email: 'rival@example.org' } })
    const token = mail.latest('alice@second.example', 'VERIFY_TOKEN')
    await call('account.verifyEmail', 200, { body: { token }, token: null })
    await call('account.verifyEmail', 401, { body: { token }, token: null })
    await call('account.usernameChanges', 200)
    await call('account.changeUsername', 200, { body: { newUsername: 'allison' } })
    await call('account.changeUsername', 409, { body: { newUsername: 'alice' } })
    await call('account.changeUsername', 400, { body: { newUsername: 'x' } })
    const app = (await grantAccess(node, 'alice', [{ streamId: '*', level: 'read' }])).token
    await call('account.get', 403, { token: app })
  })

  it('of a batch', async () => {
    const { body } = await call('callBatch', 200, {
      body: [
        { method: 'events.get', params: {} },
        { method: 'no.such', params: {} },
      ],
    })
    expect(body['results']).toHaveLength(2)
    await call('callBatch', 400, { body: {} })
    await call('callBatch', 403, { body: [], token: 'unknown' })
  })

  it('of removed methods', async () => {
    await call('events.start', 410, { body: {} })
    await call('reg.email.check', 410, { body: {} })
  })

  it('of delegations', async () => {
    const [b, a] = ['controlled', 'the-delegate']
    const [ofB, ofA] = [await registerUser(node, b), await registerUser(node, a)]
    const byB = (name: string, status: number, options: CallOptions & { other?: string } = {}): ReturnType<typeof call> =>
      call(`delegations.${name}`, status, { token: ofB, ...options, path: { username: b, otherUsername: options.other ?? a } })
    const byA = (name: string, status: number, options: CallOptions & { other?: string } = {}): ReturnType<typeof call> =>
      call(`delegations.${name}`, status, { token: ofA, ...options, path: { username: a, otherUsername: options.other ?? b } })
    const invite = { body: { delegateUsername: a } }
    await byB('requestAttach', 201, invite)
    await byB('requestAttach', 409, invite)
    await byB('listDelegates', 200)
    await byA('listControlled', 200)
    await byB('cancelInvite', 200)
    await byB('requestAttach', 201, invite)
    await byA('refuseAttach', 200)
    await byB('requestAttach', 201, invite)
    await byA('acceptAttach', 200)
    await byA('getToken', 200)
    await byA('dismissControlled', 409)
    await byA('createAccount', 201, { body: { username: 'made-for-a' } })
    await byB('detachDelegate', 200)
    await byA('getToken', 404)
    const { store, accounts } = node.node
    const [accountOfB, accountOfA] = [(await accounts.find(b))?.account, (await accounts.find(a))?.account]
    if (accountOfB === undefined || accountOfA === undefined) throw new Error('no accounts')
    const delegate = { username: a, hostSlug: '127-0-0-1' }
    const controlled = { username: b, hostSlug: '127-0-0-1' }
    const notifyApiEndpoint = 'http://token@localhost/x/'
    for (const name of ['acceptResponse', 'acceptComplete', 'issueToken', 'release', 'refuseResponse', 'notifyDetach']) {
      const relId = node.node.newId()
      const kind = { notifyDetach: 'notify', issueToken: 'control', release: 'control' }[name] ?? 'invite-capability'
      const clientData = { delegation: { kind, relId, delegate } }
      const at = kind === 'notify' ? a : b
      const { token, id } = await grantAccess(node, at, [], { clientData })
      const status = kind === 'control' ? 'active' : 'invite'
      const anchor = { relId, delegate, status, requestedAt: 1, controlAccessId: id, notifyApiEndpoint } as const
      if (kind !== 'notify') await accountOfB.write((t) => delegates.put(t, store.seal, anchor))
      else await accountOfA.write((t) => controlledAccounts.put(t, store.seal, { relId, controlled, status: 'stale', requestedAt: 1 }))
      await call(`delegations.${name}`, 200, { token, path: { username: at }, body: { relId, delegate, notifyApiEndpoint } })
    }
    await accountOfA.write((t) => controlledAccounts.put(t, store.seal, { relId: node.node.newId(), controlled, status: 'stale', requestedAt: 1 }))
    await byA('dismissControlled', 200)
    const relId = node.node.newId()
    await call('system.delegationInvite', 200, {
      token: adminKey,
      body: { action: 'create', relId, controlled, delegateUsername: a, capabilityUrl: notifyApiEndpoint },
    })
    await call('system.delegationCreateAccount', 200, { token: adminKey, body: { relId, username: 'made-for-b', delegate, notifyApiEndpoint } })
  })

  it('of the routes of the operator', async () => {
    const byAdmin = (id: string, status: number, options: CallOptions = {}): ReturnType<typeof call> => call(id, status, { token: adminKey, ...options })
    await registerUser(node, 'known')
    for (const id of ['cores', 'users', 'servers', 'certs', 'checkPlatformIntegrity']) await byAdmin(`system.${id}`, 200)
    await byAdmin('system.user', 200, { path: { username: 'known' } })
    await byAdmin('system.user', 404, { path: { username: 'nobody' } })
    await byAdmin('system.userInfo', 200, { path: { username: 'known' } })
    await byAdmin('system.serverUsers', 200, { path: { serverName: 'single' } })
    await byAdmin('system.renameServer', 200, { path: { srcServerName: 'x', dstServerName: 'single' } })
    await byAdmin('system.renameServer', 400, { path: { srcServerName: 'single', dstServerName: 'x' } })
    const { id } = await grantAccess(node, 'known', [])
    await byAdmin('system.access', 200, { path: { accessId: id } })
    await byAdmin('system.forceRenewCert', 400, { body: {} })
    const made = { username: 'made-here', password: 'correct horse', email: 'made@example.org', appId: 'test-app' }
    await byAdmin('system.createUser', 201, { body: made })
    await byAdmin('system.createUser', 409, { body: made })
    await byAdmin('system.validateUser', 200, { body: { username: 'to-come' } })
    await byAdmin('system.validateUser', 400, { body: { username: 'to-come' } })
    await byAdmin('system.updateUser', 200, { body: { username: 'made-here', user: { language: 'fr' } } })
    const template = { type: 'welcome-email', lang: 'en', part: 'subject' }
    await byAdmin('system.mailTemplates', 200)
    await byAdmin('system.mailTemplate', 404, { path: { ...template, lang: 'xx' } })
    await byAdmin('system.setMailTemplate', 400, { path: template, body: { pug: 5 } })
    await byAdmin('system.sendTestMail', 400, { body: {} })
    await byAdmin('system.sendTestMail', 200, { body: { type: 'welcome-email', lang: 'en', recipient: 'ana@example.org' } })
    const others = [
      ['system.mailTemplate', 'GET', 'en/subject', 200],
      ['system.setMailTemplate', 'PUT', 'en/subject', 204],
      ['system.removeMailTemplate', 'DELETE', 'en/subject', 204],
      ['system.removeMailTemplates', 'DELETE', 'fr', 204],
    ] as const
    for (const [id, method, path, status] of others) {
      const url = `${node.url}system/admin/mail/templates/welcome-email/${path}`
      const body = method === 'PUT' ? { body: { pug: '| Welcome' } } : {}
      expect((await request(url, { method, token: adminKey, ...body })).status, id).toBe(status)
      succeeded.add(id)
    }
    await byAdmin('system.unregisterUser', 200, { path: { username: 'made-here' }, query: '?onlyReg=true' })
    await byAdmin('system.unregisterUser', 400, { path: { username: 'made-here' } })
    await call('system.cores', 404)
    const { registry } = node.node
    const own = { ...registry }
    const { registry: shared } = fakeRegistry(coreRecord('core-b', { state: 'pending' }))
    const { token } = await mintToken(shared.records, 'core-b', Date.now() / 1000)
    Object.assign(registry, shared)
    const ack = { body: { coreId: 'core-b', token: token.reveal() } }
    await call('system.ackCore', 200, ack)
    await call('system.ackCore', 401, ack)
    await call('system.ackCore', 400, { body: {} })
    Object.assign(registry, own)
  })

  it('of OAuth', async () => {
    await call('oauth.metadata', 200)
    const secret = await addClient(node, 'machine', { confidential: true, username: 'alice', grantTypes: ['client_credentials'] })
    const body = { grant_type: 'client_credentials', client_id: 'machine', client_secret: secret }
    await call('oauth.token', 200, { body, token: null })
    await call('oauth.token', 401, { body: { ...body, client_secret: 'wrong' }, token: null })
    await call('oauth.token', 400, { body: {}, token: null })
    for (const id of ['oauth.accept', 'oauth.refuse']) {
      await call(id, 400, { body: { state: 'x', username: 'alice', userToken: 'y' } })
      expect(operationOf(id).operation.responses).toMatchObject({ 200: { content: { 'application/json': {} } } })
      succeeded.add(id)
    }
    const unknown = await request(`${node.url}oauth2/authorize?client_id=nobody&redirect_uri=x`)
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(operationOf('oauth.authorize').operation.responses).toMatchObject({ 302: {}, 400: { content: { 'text/html': {} } } })
    succeeded.add('oauth.authorize')
  })

  it('of sign-in through third parties', async () => {
    await call('auth.ssoProviders', 200)
    for (const [id, path] of [['auth.ssoStart', 'nobody/start'], ['auth.ssoCallback', 'nobody/callback']] as const) {
      const answer = await request(`${node.url}auth/sso/${path}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
      expect(operationOf(id).operation.responses).toMatchObject({ 302: {}, 404: { content: { 'text/plain': {} } } })
      succeeded.add(id)
    }
  })

  it('of metrics, which are plain text', async () => {
    const answer = await fetch(`${node.url}metrics`, { headers: { authorization: adminKey } })
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4(; charset=utf-8)?$/)
    expect(Object.keys((operationOf('metrics.get').operation.responses as { 200: { content: object } })[200].content).join()).toContain('text/plain')
    succeeded.add('metrics.get')
  })

  it('of every served method', () => {
    // Removed and unavailable methods always fail, without certificates none is renewed, and only other cores read access requests.
    const isServed = (fails: string[]): boolean => !/^(removed|unavailable)-method$|renewal-failed/.test(fails.join())
    const served = methods.filter(({ id, fails }) => isServed(fails) && id !== 'system.accessRequest')
    const ids = new Set(served.map(({ id }) => id)).add('service.info.ofAccount')
    expect([...succeeded].sort()).toEqual([...ids].sort())
  })
  it('but invalid answers do not match', async () => {
    const { body } = await call('streams.create', 201, { body: { name: 'Sound' } })
    const validate = schemaOf('/{username}/streams', 'post', '201')
    const { stream, meta } = body as { stream: object; meta: object }
    expect(validate({ stream, meta })).toBe(true)
    const invalid = [
      { stream },
      { meta },
      { stream, meta: {} },
      { stream: { ...stream, name: 7 }, meta },
      { stream: { ...stream, id: undefined }, meta },
      { stream: { ...stream, surprise: 1 }, meta },
      { stream, meta, surprise: 1 },
    ]
    for (const answer of invalid) expect({ answer, isValid: validate(answer) }).toMatchObject({ isValid: false })
    const refused = schemaOf('/{username}/streams', 'post', '409')
    expect(refused({ error: { id: 'item-already-exists', message: 'x' }, meta })).toBe(true)
    expect(refused({ error: { id: 'no-such-failure', message: 'x' }, meta })).toBe(false)
    expect(refused({ error: { id: 'item-already-exists', message: 'x' } })).toBe(false)
  })
})
