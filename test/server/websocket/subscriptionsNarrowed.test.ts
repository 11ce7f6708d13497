/** Subscriptions after changes of their access (docs/interface/notifications.md#connecting, #subscriptions). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authenticate } from '../../../src/server/auth/authenticate.js'
import type { Connection, Wire } from '../../../src/server/websocket/connection.js'
import { subscribe } from '../../../src/server/websocket/subscribe.js'
import { revalidate } from '../../../src/server/websocket/watch.js'
import type { Permission } from '../../../src/store/model/access.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { holderOf } from '../../support/oracles/scopeMatches.js'
import { share, type Share } from '../../support/people/shares.js'
import { connectSocket, type TestSocket } from '../../support/http/socket.js'

let node: TestNode
let s: Stage
let access: Share
let socket: TestSocket
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

const read = (...ids: string[]): Permission[] => ids.map((streamId) => ({ streamId, level: 'read' }))
const on = (...streams: string[]): Record<string, unknown> => ({ query: { streams } })

/** Creates an app that reads A and S. */
beforeEach(async () => {
  s = await newStage(node)
  for (const id of ['A', 'S', 'T']) await s.arrange('streams.create', { id, name: id })
  access = await share(s, { type: 'app', permissions: read('A', 'S') })
  socket = await connectSocket(node, s.username, { token: access.token })
})
afterEach(() => socket.close())

const update = (permissions: Permission[]): unknown => ({ id: access.id, update: { permissions } })
const setReadable = (...ids: string[]): Promise<unknown> => s.arrange('accesses.update', update(read(...ids)))
const event = (streamId: string): unknown => ({ streamIds: [streamId], type: 'mass/kg', content: 5 })
const create = (streamId: string): Promise<unknown> => s.arrange('events.create', event(streamId))
const scopesOf = async (): Promise<string[]> =>
  Object.keys((await socket.call('getSubscriptions', null)).result?.['scopes'] ?? {})

/** Returns the notifications of the socket, except changes of its access. */
async function notifications(): Promise<unknown[]> {
  await node.node.store.settled()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  await scopesOf()
  return socket.received.flatMap(({ name, content: [content] }) =>
    name === 'notificationsChanged' ? [(content as { keys: string[] }).keys.join(' ')] : name === 'accessUpdated' ? [] : [name],
  )
}

describe('an access with reduced permissions', () => {
  it('loses scopes that name streams without permission', async () => {
    const scopes = { a: on('A'), s: on('S'), both: on('A', 'S'), st: { kind: 'streams', query: { streams: ['S'] } } }
    await socket.call('subscribe', { scopes })
    await setReadable('A')
    await create('S')
    await create('A')
    expect(await scopesOf()).toEqual(['a'])
    expect(await notifications()).toEqual(['a'])
  })

  it('retains scopes without named streams, limited to its permissions', async () => {
    await socket.call('subscribe', { scopes: { all: {}, not: { query: { streams: [{ any: ['*'], not: ['A'] }] } } } })
    await setReadable('A')
    await create('S')
    await create('A')
    expect(await scopesOf()).toEqual(['all', 'not'])
    expect(await notifications()).toEqual(['all'])
  })

  it('receives general notifications again when no scope remains', async () => {
    await socket.call('subscribe', { key: 's', ...on('S') })
    await setReadable('A')
    await create('T')
    expect(await scopesOf()).toEqual([])
    expect(await notifications()).toContain('eventsChanged')
    expect(await notifications()).not.toContain('s')
  })

  it('is not notified of later changes of the same batch', async () => {
    await socket.call('subscribe', { scopes: { a: on('A'), s: on('S') } })
    const calls = [
      { method: 'accesses.update', params: update(read('A')) },
      { method: 'events.create', params: event('S') },
      { method: 'events.create', params: event('A') },
    ]
    const { body } = await request(`${node.url}${s.username}`, { token: s.owner, body: calls })
    expect(body['results']).toMatchObject([{ access: {} }, { event: {} }, { event: {} }])
    expect(new Set(await notifications())).toEqual(new Set(['a']))
  })

  it('cannot subscribe to streams without permission, even concurrently', async () => {
    const narrowed = setReadable('A')
    const subscriptions = Array.from({ length: 20 }, (_, i) => socket.call('subscribe', { key: `s${i}`, ...on('S') }))
    await Promise.all([narrowed, ...subscriptions])
    expect(await socket.call('subscribe', { key: 's', ...on('S') })).toMatchObject({ error: { error: { id: 'forbidden' } } })
    expect(await scopesOf()).toEqual([])
    await socket.call('subscribe', { key: 'a', ...on('A') })
    await create('S')
    await create('A')
    expect((await notifications()).filter((one) => one !== 'accessesChanged')).toEqual(['a'])
  })

  it('drops scopes even if a call updated the caller first', async () => {
    const { node: of, account, caller } = await holderOf(s, access.token)
    const connection: Connection = {
      node: of,
      account,
      request: { username: s.username, path: '/', query: '' },
      credentials: { token: access.token },
      origin: { transport: 'socket', source: 'socket.io', base: '' },
      caller,
      scopes: undefined,
      wire: {} as Wire,
      pending: 0,
    }
    subscribe(connection, { scopes: { a: on('A'), s: on('S') } })
    const { scopes } = connection
    revalidate(connection)
    expect(connection.scopes).toBe(scopes)
    await setReadable('A')
    const loaded = await of.accounts.find(s.username)
    if (loaded === undefined) throw new Error('no account')
    connection.caller = authenticate(of, loaded, access.token)
    revalidate(connection)
    expect(Object.keys(connection.scopes?.requested ?? {})).toEqual(['a'])
  })
})

describe('an access with extended permissions', () => {
  it('receives more with scopes without named streams, and may name more streams', async () => {
    await socket.call('subscribe', { key: 'all' })
    expect(await socket.call('subscribe', { key: 't', ...on('T') })).toMatchObject({ error: { error: { id: 'forbidden' } } })
    await setReadable('A', 'S', 'T')
    await create('T')
    expect(await notifications()).toEqual(['all'])
    expect((await socket.call('subscribe', { key: 't', ...on('T') })).result).toEqual({ ok: true, keys: ['all', 't'] })
  })
})

describe('a deleted access', () => {
  it('is disconnected', async () => {
    await socket.call('subscribe', { key: 'a', ...on('A') })
    const ended = new Promise((resolve) => socket.io.once('disconnect', resolve))
    await s.arrange('accesses.delete', { id: access.id })
    await create('A')
    expect(await ended).toBe('io server disconnect')
    expect(socket.count('notificationsChanged')).toBe(0)
  })
})
