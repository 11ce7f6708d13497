/** The published client `pryv`, unchanged, against a node: its Service and its Connection (clients.md). */
import pryv, { type Service } from 'pryv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/server/clock.js'
import { startTestNode, type TestNode } from '../support/node.js'
import { APP, connect, createAccount, logIn, PASSWORD, serviceOf, type Client } from '../support/pryvClient.js'

type Json = Record<string, unknown>

let node: TestNode
let service: Service
let connection: Client
beforeAll(async () => {
  node = await startTestNode()
  service = serviceOf(node)
  await createAccount(service, 'alice')
  connection = await logIn(service, 'alice')
})
afterAll(() => node.stop())

const failureOf = (promise: Promise<unknown>): Promise<Json> =>
  promise.then(
    () => ({}),
    (error: Error & { id?: string; status?: number }) => ({
      id: error.id,
      status: error.status,
      message: error.message,
      isOfClient: error instanceof pryv.PryvError,
    }),
  )

describe('Service', () => {
  it.each([
    ['the root', 'service/info'],
    ['the register', 'reg/service/info'],
    ['an account', 'alice/service/info'],
    ['the alias', 'alice/service/infos'],
  ])('reads its information at %s', async (_, path) => {
    const info = await new pryv.Service(node.url + path).info()
    expect(info).toMatchObject({
      name: 'coffer',
      serial: '1',
      api: `${node.url}{username}/`,
      register: `${node.url}reg/`,
      access: `${node.url}reg/access/`,
    })
    for (const key of ['api', 'register', 'access'] as const) expect(info[key].endsWith('/')).toBe(true)
  })

  it('tells that usernames are in the path, and that series are served', async () => {
    expect(await service.isDnsLess()).toBe(true)
    expect(await service.supportsHF()).toBe(true)
  })

  it('lists where an account can live', async () => {
    const [first, ...others] = await service.flatHostings()
    expect(others).toEqual([])
    expect(first).toMatchObject({ key: 'default', name: 'coffer', available: true, availableCore: node.url })
  })

  it('creates an account, and knows it afterwards', async () => {
    expect(await service.userExists('bobby')).toBe(false)
    expect(await service.userIdForEmail('bobby@example.org')).toBeNull()
    const [hosting] = await service.flatHostings()
    const made = await createAccount(service, 'bobby', hosting?.key)
    expect(made).toEqual({ username: 'bobby', apiEndpoint: `${node.url}bobby/` })
    expect(await service.userExists('bobby')).toBe(true)
    expect(await service.userIdForEmail('bobby@example.org')).toBe('bobby')
  })

  it('creates an account on what it takes for an old service', async () => {
    const old = new pryv.Service(`${node.url}service/info`, { version: '1.5.0' } as object)
    const username = 'old-timer'
    await old.createUser({ username, password: PASSWORD, email: 'old@example.org', hosting: 'auto', appId: APP })
    expect(await service.userExists(username)).toBe(true)
  })

  it('says what is wrong with an account that cannot be created', async () => {
    const taken = await failureOf(createAccount(service, 'alice'))
    expect(taken).toMatchObject({ id: 'item-already-exists', status: 409, isOfClient: true })
    const short = await failureOf(createAccount(service, 'no'))
    expect(short).toMatchObject({ id: 'invalid-parameters-format', status: 400 })
  })

  it('logs in', async () => {
    const logged = await logIn(service, 'alice')
    expect(logged.token).toMatch(/^[a-z][a-z0-9]{23}$/)
    expect(logged.apiEndpoint).toBe(`${node.url.replace('://', `://${logged.token}@`)}alice/`)
    expect(await service.login('alice', PASSWORD, APP, 'http://localhost:8080')).toMatchObject({ token: logged.token })
  })

  it('says what is wrong with a login', async () => {
    expect(await failureOf(service.login('alice', 'wrong', APP))).toEqual({
      id: 'invalid-credentials',
      status: 401,
      message: 'The given username/password pair is invalid.',
      isOfClient: true,
    })
    expect(await failureOf(service.login('nobody', PASSWORD, APP))).toMatchObject({
      id: 'unknown-resource',
      status: 404,
      message: expect.stringContaining('Unknown user') as string,
    })
    const untrusted = service.login('alice', PASSWORD, APP, 'https://evil.example')
    expect(await failureOf(untrusted)).toMatchObject({ status: 401 })
  })

  it.each([
    ['a second factor', () => service.mfaVerify('alice', 'no-such-token', '123456')],
    ['its challenge', () => service.mfaChallenge('alice', 'no-such-token')],
    ['a password reset', () => service.resetPassword('alice', 'new password', 'no-such-token', APP)],
  ])('gets a JSON failure for %s that is not there', async (_, ask) => {
    const failure = await failureOf(ask())
    expect(failure).toMatchObject({ isOfClient: true, id: expect.any(String) as string })
    expect(failure['status']).toBeGreaterThanOrEqual(400)
    expect(failure['status']).toBeLessThan(500)
  })
})

describe('Connection', () => {
  it('tells whose it is', async () => {
    const info = (await connection.accessInfo()) as unknown as Json
    expect(info).toMatchObject({ name: APP, type: 'personal', token: connection.token, user: { username: 'alice' } })
    expect(info['id']).toEqual(expect.any(String))
    expect(await connection.username()).toBe('alice')
    expect((await connect(connection.apiEndpoint).service.info()).name).toBe('coffer')
  })

  it('is refused with a token that the account does not have', async () => {
    const stranger = connect(`${node.url.replace('://', '://nobodys@')}alice/`)
    const message = expect.stringContaining('Cannot find access from token.') as string
    expect(await stranger.get('access-info', null)).toMatchObject({ error: { id: 'invalid-access-token', message } })
    await expect(stranger.api([{ method: 'events.get', params: {} }])).rejects.toThrow('Cannot find access from token.')
  })

  it('measures the difference of clocks, also by failures', async () => {
    const AHEAD = 1000 // seconds
    const early = await startTestNode({}, { clock: { now: () => systemClock.now() + AHEAD } })
    try {
      await createAccount(serviceOf(early), 'alice')
      const fresh = connect((await logIn(serviceOf(early), 'alice')).apiEndpoint)
      expect(fresh.deltaTime).toBe(0)
      await fresh.get('events/nowhere')
      expect(Math.abs(fresh.deltaTime - AHEAD)).toBeLessThan(60)
    } finally {
      await early.stop()
    }
  })

  it('creates streams and events one by one', async () => {
    const stream = await connection.post('streams', { id: 'diary', name: 'Diary' })
    expect(stream).toMatchObject({ stream: { id: 'diary' } })
    const event = await connection.post('events', { streamIds: ['diary'], type: 'note/txt', content: 'first' })
    expect(event).toMatchObject({ event: { content: 'first', streamIds: ['diary'], streamId: 'diary', tags: [] } })
    const read = await connection.get('events', { streams: ['diary'] })
    expect(read['events']).toEqual([event['event']])
  })

  it('reports a failure of a batch as what apiOne throws', async () => {
    const made = await connection.apiOne('streams.create', { id: 'house', name: 'House' }, 'stream')
    expect(made).toMatchObject({ id: 'house' })
    const again = connection.apiOne('streams.create', { id: 'house', name: 'Other' }, 'stream')
    await expect(again).rejects.toMatchObject({ innerObject: { id: 'item-already-exists', data: { id: 'house' } } })
    await expect(connection.apiOne('no.such' as 'events.get', {})).rejects.toMatchObject({
      innerObject: { id: 'invalid-method' },
    })
  })

  it('deletes in two steps', async () => {
    const deleteStream = { method: 'streams.delete', params: { id: 'garden' } }
    const [, trashed, deleted, gone] = await connection.api([
      { method: 'streams.create', params: { id: 'garden', name: 'Garden' } },
      deleteStream,
      deleteStream,
      deleteStream,
    ])
    expect(trashed).toMatchObject({ stream: { id: 'garden', trashed: true } })
    expect(deleted).toMatchObject({ streamDeletion: { id: 'garden' } })
    expect(gone).toMatchObject({ error: { id: 'unknown-resource' } })
  })
})
