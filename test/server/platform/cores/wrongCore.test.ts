/** Calls to accounts of another core, over all transports. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectSocket, type ConnectError } from '../../../support/http/socket.js'
import { ADMIN_KEY, withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'

type Json = Record<string, unknown>

const cores = withCores({ 'core-a': {}, 'core-b': {} }, { shared: { 'user-account.delete': ['adminToken', 'personalToken'] } })
const a = (): TestNode => cores().node('core-a')
const b = (): TestNode => cores().node('core-b')
let alice = ''
let bob = ''
let alias = ''

beforeAll(async () => {
  alice = await makeAccount(a(), 'alice')
  bob = await makeAccount(b(), 'bobby')
  const access = { name: 'aliased', type: 'shared', permissions: [{ streamId: '*', level: 'read' }], randomAlias: true }
  const { body } = await request(`${b().url}bobby/accesses`, { token: bob, body: access })
  alias = new URL(String((body['access'] as Json)['apiEndpoint'])).pathname.split('/')[1] ?? ''
})
afterEach(() => cores().platform.stopAnswering(false))

const wrongCore = (): Json => ({ id: 'wrong-core', message: 'This account is on another core.', coreUrl: b().url, data: { coreUrl: b().url } })

interface Call {
  path: string
  method?: string
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

const call = ({ path, ...options }: Call): Promise<Answer> => request(a().url + path, options)

describe('a call to an account of another core', () => {
  it.each<[what: string, call: () => Call]>([
    ['with its token', () => ({ path: 'bobby/events', token: bob })],
    ['with an unknown token', () => ({ path: 'bobby/events', token: 'unknown' })],
    ['without a token', () => ({ path: 'bobby/streams' })],
    ['that writes', () => ({ path: 'bobby/events', token: bob, body: { type: 'note/txt', streamIds: ['diary'], content: 'x' } })],
    ['that updates', () => ({ path: 'bobby/events/x', method: 'PUT', token: bob, body: {} })],
    ['that deletes', () => ({ path: 'bobby/events/x', method: 'DELETE', token: bob })],
    ['that logs in', () => ({ path: 'bobby/auth/login', body: { username: 'bobby', password: 'correct horse', appId: 'test-app' } })],
    ['that asks for a new password', () => ({ path: 'bobby/account/request-password-reset', body: { appId: 'test-app' } })],
    ['that recovers', () => ({ path: 'bobby/mfa/recover', body: {} })],
    ['that retrieves a secret', () => ({ path: 'bobby/shared-secrets/retrieve', body: { key: 'x' } })],
    ['for a file', () => ({ path: 'bobby/events/x/y?readToken=z' })],
    ['as a batch', () => ({ path: 'bobby', token: bob, body: [{ method: 'events.get', params: {} }] })],
    ['of its root', () => ({ path: 'bobby/' })],
    ['as a form', () => ({ path: 'bobby/events', body: `_auth=${bob}&_method=GET`, headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    ['of an unknown route', () => ({ path: 'bobby/nothing/here' })],
    ['by another letter case', () => ({ path: 'BobbY/events' })],
    ['by the alias of an access', () => ({ path: `${alias}/events`, token: bob })],
    ['that deletes the account, with its token', () => ({ path: 'users/bobby', method: 'DELETE', token: bob })],
    ['that deletes the account, by the operator', () => ({ path: 'users/bobby', method: 'DELETE', token: ADMIN_KEY })],
  ])('is answered with the URL of that core: %s', async (_, asked) => {
    const { status, body } = await call(asked())
    expect({ status, error: body['error'] }).toEqual({ status: 421, error: wrongCore() })
    expect(body['meta']).toMatchObject({ apiVersion: expect.any(String) })
  })

  it('is refused as a websocket, while other connections stay', async () => {
    const own = await connectSocket(a(), 'alice', { token: alice })
    try {
      const refused = await connectSocket(a(), 'bobby', { token: bob }).catch((error: unknown) => error as ConnectError)
      expect((refused as ConnectError).data).toEqual(wrongCore())
      expect((await own.call('events.get', {})).error).toBeNull()
    } finally {
      own.close()
    }
  })

  it('succeeds at that core', async () => {
    expect(await request(`${b().url}bobby/events`, { token: bob })).toMatchObject({ status: 200 })
    const socket = await connectSocket(b(), 'bobby', { token: bob })
    socket.close()
  })

  it.each<[what: string, call: () => Call, expected: object]>([
    ['service info', () => ({ path: 'bobby/service/info' }), { status: 200, body: { api: expect.stringContaining('{username}') } }],
    ['service info by its other path', () => ({ path: 'bobby/service/infos' }), { status: 200, body: { serial: expect.any(String) } }],
    ['a preflight', () => ({ path: 'bobby/events', method: 'OPTIONS' }), { status: 200 }],
    ['a registration route', () => ({ path: 'reg/bobby/check_username' }), { status: 200, body: { reserved: true } }],
    ['an unknown account', () => ({ path: 'nobody/events' }), { status: 404, body: { error: { id: 'unknown-resource' } } }],
    ['an own account', () => ({ path: 'alice/events', token: alice }), { status: 200 }],
    ['a name that begins as a system route', () => ({ path: 'system-user/events' }), { status: 404 }],
    ['a consent at a core without the account', () => ({ path: 'oauth2/authorize/accept', body: { state: 'x', username: 'bobby', userToken: bob } }), { status: 400 }],
  ])('is never the answer to %s', async (_, asked, expected) => expect(await call(asked())).toMatchObject(expected))

  it('that deletes another account stays hidden without credentials', async () => {
    expect(await call({ path: 'users/nobody', method: 'DELETE', token: ADMIN_KEY })).toMatchObject({ status: 404 })
  })
})

describe('while the registry does not answer', () => {
  it('own accounts are served, and names that were looked up lead to their core', async () => {
    await call({ path: 'bobby/events' })
    cores().platform.stopAnswering()
    expect(await call({ path: 'alice/events', token: alice })).toMatchObject({ status: 200 })
    expect(await call({ path: 'bobby/events' })).toMatchObject({ status: 421 })
  })

  it.each(['somebody/events', 'reg/somebody/server', 'reg/cores?username=somebody', 'reg/somebody/check_username'])('nothing is said of other names: %s', async (path) => {
    cores().platform.stopAnswering()
    const answer = await call({ path })
    expect(answer).toMatchObject({ status: 503, body: { error: { id: 'platform-unavailable' } } })
    expect(answer.headers.get('retry-after')).toBe('5')
  })

  it('service info is given for any name', async () => {
    cores().platform.stopAnswering()
    expect(await call({ path: 'somebody/service/info' })).toMatchObject({ status: 200 })
  })
})

it('names the URL that the other core advertises', async () => {
  const { platform } = cores()
  platform.setCore('core-b', { url: 'https://storage.example.org/' })
  try {
    expect(await call({ path: 'bobby/events' })).toMatchObject({ status: 421, body: { error: { coreUrl: 'https://storage.example.org/' } } })
  } finally {
    platform.setCore('core-b', { url: b().url })
  }
})

it('is not the answer of a core that the registry names as the home of an account that it lacks', async () => {
  cores().platform.setHolder({ field: 'username', value: 'phantom' }, { core: 'core-a', account: 'c0000' })
  expect(await call({ path: 'phantom/events' })).toMatchObject({ status: 503 })
  expect(a().logged.join()).toContain('does not have')
})
