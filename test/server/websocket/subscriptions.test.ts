/** Scoped subscriptions of websockets (docs/interface/notifications.md#subscriptions). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Permission } from '../../../src/store/model/access.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { connectSocket, type TestSocket } from '../../support/http/socket.js'

let node: TestNode
let s: Stage
let open: TestSocket[] = []
beforeAll(async () => {
  node = await startTestNode({ 'limits.batch.maxCalls': 20_000 })
})
afterAll(() => node.stop())
/** Streams: A contains B; S is a root. */
beforeEach(async () => {
  s = await newStage(node)
  for (const [id, parentId] of [['A', null], ['B', 'A'], ['S', null]]) {
    await s.arrange('streams.create', { id, name: id, parentId })
  }
})
afterEach(() => {
  for (const socket of open) socket.close()
  open = []
})

async function connectClient(permissions?: Permission[]): Promise<TestSocket> {
  const token = permissions === undefined ? s.owner : await s.app(permissions)
  const socket = await connectSocket(node, s.username, { token })
  open.push(socket)
  return socket
}

const read = (...ids: string[]): Permission[] => ids.map((streamId) => ({ streamId, level: 'read' }))
const on = (...streams: string[]): Record<string, unknown> => ({ query: { streams } })
const create = (streamId: string): Promise<unknown> =>
  s.arrange('events.create', { streamIds: [streamId], type: 'mass/kg', content: 5 })

/** Sends a message; returns its acknowledgement, or the id of its failure. */
async function send(socket: TestSocket, message: string, ...content: unknown[]): Promise<unknown> {
  const { error, result } = await socket.call(message, ...content)
  if (error === null) return result
  expect(result).toBeUndefined()
  expect(error).toEqual({ error: expect.anything(), meta: expect.objectContaining({ serverTime: expect.any(Number) }) })
  return (error['error'] as { id: string }).id
}

/** Returns the notifications of a socket so far; a call ensures that all have arrived. */
async function notificationsOf(socket: TestSocket): Promise<unknown[]> {
  await node.node.store.settled()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  await socket.call('getSubscriptions', null)
  return socket.received.map(({ name, content }) => (content.length === 0 ? name : [name, ...content]))
}
const changed = (...keys: string[]): unknown => ['notificationsChanged', { keys }]

describe('subscribe', () => {
  it('replaces general notifications by those of the key of a matching scope', async () => {
    const socket = await connectClient()
    expect(await send(socket, 'subscribe', { key: 'w', kind: 'events', ...on('A') })).toEqual({ ok: true, keys: ['w'] })
    await create('B')
    await create('S')
    await s.arrange('streams.create', { id: 'N', name: 'N' })
    await s.arrange('accesses.create', { name: 'x', permissions: [] })
    expect(await notificationsOf(socket)).toEqual([changed('w')])
  })

  it('accepts several scopes and notifies with all matching keys', async () => {
    const socket = await connectClient()
    const scopes = { a: on('A'), st: { kind: 'streams', query: { streams: ['A'] } }, all: {} }
    expect(await send(socket, 'subscribe', { scopes })).toEqual({ ok: true, keys: ['a', 'st', 'all'] })
    expect(await send(socket, 'subscribe', { key: 's', ...on('S') })).toEqual({ ok: true, keys: ['a', 'st', 'all', 's'] })
    await create('A')
    await create('S')
    expect(await notificationsOf(socket)).toEqual([changed('a', 'all'), changed('all', 's')])
  })

  it('notifies of a new child of a stream', async () => {
    const socket = await connectClient(read('A'))
    await send(socket, 'subscribe', { key: 'st', kind: 'streams', query: { streams: ['A'] } })
    await s.arrange('streams.create', { id: 'N', name: 'N', parentId: 'B' })
    await s.arrange('streams.create', { id: 'M', name: 'M', parentId: 'S' })
    expect(await notificationsOf(socket)).toEqual([changed('st')])
  })

  it('replaces a scope of the same key', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { scopes: { a: on('A'), b: {} } })
    expect(await send(socket, 'subscribe', { key: 'a', ...on('S') })).toEqual({ ok: true, keys: ['a', 'b'] })
    await send(socket, 'unsubscribe', { key: 'b' })
    await create('A')
    await create('S')
    expect(await notificationsOf(socket)).toEqual([changed('a')])
  })

  it('preserves a scope whose replacement is refused', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { key: 'a', ...on('A') })
    expect(await send(socket, 'subscribe', { key: 'a', ...on('Z') })).toBe('unknown-referenced-resource')
    expect(await send(socket, 'getSubscriptions', null)).toEqual({ scopes: { a: { kind: 'events', ...on('A') } } })
  })

  it('is refused as a whole if one scope is invalid, and general notifications continue', async () => {
    const socket = await connectClient(read('A'))
    const scopes = { a: on('A'), no: on('S'), after: {} }
    expect(await send(socket, 'subscribe', { scopes })).toBe('forbidden')
    expect(await send(socket, 'getSubscriptions', {})).toEqual({ scopes: {} })
    await create('A')
    expect(await notificationsOf(socket)).toEqual(['eventsChanged'])
  })

  it('is refused as a whole if one scope is invalid, and existing scopes remain', async () => {
    const socket = await connectClient(read('A'))
    await send(socket, 'subscribe', { key: 'a', ...on('A') })
    for (const bad of [on('S'), on('Z'), { kind: 'accesses' }, { query: { limit: 5 } }, null]) {
      expect(await send(socket, 'subscribe', { scopes: { a: on('B'), b: {}, bad } })).toBeTypeOf('string')
    }
    expect(await send(socket, 'getSubscriptions', {})).toEqual({ scopes: { a: { kind: 'events', ...on('A') } } })
    await create('A')
    expect(await notificationsOf(socket)).toEqual([changed('a')])
  })

  it('accepts up to 100 scopes for a connection', async () => {
    const socket = await connectClient()
    const scopes = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, {}]))
    const others = Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`o${i}`, {}]))
    const [first, second] = await Promise.all([
      send(socket, 'subscribe', { scopes }),
      send(socket, 'subscribe', { scopes: others }),
    ])
    expect(first).toMatchObject({ ok: true })
    expect(second).toBe('invalid-request-structure')
    expect(await send(socket, 'subscribe', { key: 'k3', ...on('A') })).toMatchObject({ ok: true })
    expect(await send(socket, 'unsubscribe', { keys: ['o39', 'k0'] })).toMatchObject({ ok: true })
    expect((await send(socket, 'subscribe', { key: 'o40' })) as { keys: string[] }).toMatchObject({ ok: true })
  })

  const malformed: [name: string, content: unknown][] = [
    ['null', null],
    ['a list', [{ key: 'a' }]],
    ['a text', 'a'],
    ['neither key nor scopes', {}],
    ['neither key nor scopes, but a kind', { kind: 'events' }],
    ['both', { key: 'a', scopes: {} }],
    ['a number as the key', { key: 5 }],
    ['a key that is null', { key: null }],
    ['an empty key', { key: '' }],
    ['too long a key', { key: 'k'.repeat(257) }],
    ['scopes that are a list', { scopes: [] }],
    ['scopes that are null', { scopes: null }],
    ['a kind beside scopes', { scopes: { a: {} }, kind: 'streams' }],
    ['a scope that is null', { scopes: { a: null } }],
    ['an unknown kind', { key: 'a', kind: 'profile' }],
    ['a kind named like a property of every object', { key: 'a', kind: 'toString' }],
    ['a query that is not an object', { key: 'a', query: 'A' }],
    ['an unknown member', { key: 'a', streams: ['A'] }],
    ['all accesses', { key: 'a', kind: 'accesses' }],
  ]
  it.each(malformed)('refuses %s', async (_, content) => {
    const socket = await connectClient()
    expect(await send(socket, 'subscribe', content)).toBe('invalid-request-structure')
    await create('A')
    expect(await notificationsOf(socket)).toEqual(['eventsChanged'])
  })

  it('refuses missing content', async () => {
    expect(await send(await connectClient(), 'subscribe')).toBe('invalid-request-structure')
  })

  it('returns the failures of queries', async () => {
    const socket = await connectClient(read('A'))
    expect(await send(socket, 'subscribe', { key: 'a', ...on('Z') })).toBe('unknown-referenced-resource')
    expect(await send(socket, 'subscribe', { key: 'a', ...on('S') })).toBe('forbidden')
    expect(await send(socket, 'subscribe', { key: 'a', query: { types: ['mass'] } })).toBe('invalid-parameters-format')
    expect(await send(socket, 'subscribe', { key: 'a', query: { content: 5 } })).toBe('invalid-parameters-format')
    expect(await send(socket, 'subscribe', { key: 'a', query: { limit: 5 } })).toBe('invalid-parameters-format')
  })
})

describe('accesses of each type', () => {
  const accesses = { key: 'acc', kind: 'accesses', query: { types: ['shared'] } }

  it('allow the owner to subscribe to accesses', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', accesses)
    await s.arrange('accesses.create', { name: 'x', permissions: read('A') })
    expect(await notificationsOf(socket)).toEqual([changed('acc')])
  })

  it('do not allow apps and shared accesses to subscribe to accesses', async () => {
    expect(await send(await connectClient([{ streamId: '*', level: 'manage' }]), 'subscribe', accesses)).toBe('forbidden')
    const { access } = await s.arrange('accesses.create', { name: 'x', permissions: read('A') })
    const shared = await connectSocket(node, s.username, { token: (access as { token: string }).token })
    open.push(shared)
    expect(await send(shared, 'subscribe', accesses)).toBe('forbidden')
    expect(await send(shared, 'subscribe', { key: 'w' })).toEqual({ ok: true, keys: ['w'] })
    await create('S')
    await create('B')
    expect(await notificationsOf(shared)).toEqual([changed('w')])
  })

  it('notify an app only of readable events', async () => {
    const socket = await connectClient([...read('A'), { streamId: 'B', level: 'none' }])
    await send(socket, 'subscribe', { key: 'w' })
    await create('B')
    await create('S')
    await create('A')
    expect(await notificationsOf(socket)).toEqual([changed('w')])
  })

  it('notify a create-only access of listed streams, but not of events', async () => {
    const socket = await connectClient([{ streamId: 'A', level: 'create-only' }])
    expect(await send(socket, 'subscribe', { key: 'e', ...on('A') })).toBe('forbidden')
    await send(socket, 'subscribe', { scopes: { e: {}, st: { kind: 'streams' } } })
    await create('A')
    await s.arrange('streams.update', { id: 'B', update: { name: 'b' } })
    await s.arrange('streams.update', { id: 'S', update: { name: 's' } })
    expect(await notificationsOf(socket)).toEqual([changed('st')])
  })
})

describe('scopes', () => {
  it('notify of each call of a batch separately', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { scopes: { a: on('A'), b: on('B') } })
    const made = (id: string): object => ({ method: 'events.create', params: { streamIds: [id], type: 'note/txt', content: id } })
    const answer = await request(s.node.url + s.username, { token: s.owner, body: [made('A'), made('B'), made('A'), made('S')] })
    expect(answer.status).toBe(200)
    expect(await notificationsOf(socket)).toEqual([changed('a'), changed('a', 'b'), changed('a')])
  })

  it('of a very large batch are notified with combined messages, without disconnection', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { scopes: { a: on('A'), b: on('B') } })
    const made = (id: string): object => ({ method: 'events.create', params: { streamIds: [id], type: 'count/generic', content: 1 } })
    const calls = 12_000
    const body = Array.from({ length: calls }, (_, at) => made(at === calls - 1 ? 'B' : 'A'))
    expect((await request(s.node.url + s.username, { token: s.owner, body })).status).toBe(200)
    await expect.poll(() => socket.received.some(({ content }) => JSON.stringify(content).includes('"b"')), { timeout: 20_000 }).toBe(true)
    expect(socket.count('notificationsChanged')).toBeLessThan(calls)
    await create('S')
    await create('B')
    expect((await notificationsOf(socket)).at(-1)).toEqual(changed('a', 'b'))
  })
})

describe('unsubscribe', () => {
  it('removes scopes, and restores general notifications after the last', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { scopes: { a: on('A'), b: on('B'), s: on('S') } })
    expect(await send(socket, 'unsubscribe', { key: 'a' })).toEqual({ ok: true, keys: ['b', 's'] })
    await create('A')
    await create('S')
    expect(await send(socket, 'unsubscribe', { keys: ['b', 's', 'none'] })).toEqual({ ok: true, keys: [] })
    await create('A')
    expect(await notificationsOf(socket)).toEqual([changed('s'), 'eventsChanged'])
  })

  it('removes all scopes', async () => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { scopes: { a: on('A'), s: on('S') } })
    expect(await send(socket, 'unsubscribe', { all: true })).toEqual({ ok: true, keys: [] })
    await create('A')
    expect(await notificationsOf(socket)).toEqual(['eventsChanged'])
  })

  it('accepts unknown keys', async () => {
    const socket = await connectClient()
    expect(await send(socket, 'unsubscribe', { key: 'constructor' })).toEqual({ ok: true, keys: [] })
    expect(await send(socket, 'unsubscribe', { keys: [] })).toEqual({ ok: true, keys: [] })
  })

  const malformed = [null, undefined, {}, [], 'a', { key: 5 }, { keys: 'a' }, { keys: ['a', 5] }, { all: false }, { all: 1 }, { key: 'a', all: true }, { name: 'a' }]
  it.each(malformed.map((content) => [JSON.stringify(content) ?? 'nothing', content]))('refuses %s', async (_, content) => {
    const socket = await connectClient()
    await send(socket, 'subscribe', { key: 'a' })
    const args = content === undefined ? [] : [content]
    expect(await send(socket, 'unsubscribe', ...args)).toBe('invalid-request-structure')
    expect(await send(socket, 'getSubscriptions')).toEqual({ scopes: { a: { kind: 'events', query: {} } } })
  })
})

describe('getSubscriptions', () => {
  it('returns the scopes with unchanged queries', async () => {
    const socket = await connectClient()
    const query = { streams: '{"any":["A"]}', content: [{ path: '$', gt: 1 }] }
    await send(socket, 'subscribe', { scopes: { w: { query }, st: { kind: 'streams' } } })
    const scopes = { w: { kind: 'events', query }, st: { kind: 'streams', query: {} } }
    for (const content of [[null], [{}], []]) expect(await send(socket, 'getSubscriptions', ...content)).toEqual({ scopes })
    expect(await send(socket, 'getSubscriptions', { key: 'w' })).toBe('invalid-request-structure')
  })

  it('returns keys named like properties of every object', async () => {
    const socket = await connectClient()
    const scopes: unknown = JSON.parse('{"__proto__":{"kind":"streams"},"constructor":{}}')
    expect(await send(socket, 'subscribe', { scopes })).toEqual({ ok: true, keys: ['__proto__', 'constructor'] })
    await create('A')
    await s.arrange('streams.create', { id: 'N', name: 'N' })
    expect(await notificationsOf(socket)).toEqual([changed('constructor'), changed('__proto__')])
    expect(JSON.stringify(await send(socket, 'getSubscriptions', null))).toBe(
      '{"scopes":{"__proto__":{"kind":"streams","query":{}},"constructor":{"kind":"events","query":{}}}}',
    )
    expect(await send(socket, 'unsubscribe', { key: '__proto__' })).toEqual({ ok: true, keys: ['constructor'] })
  })

  it('returns the scopes of its connection, which end with it', async () => {
    const [one, other] = [await connectClient(), await connectClient()]
    await send(one, 'subscribe', { key: 'a', ...on('A') })
    expect(await send(other, 'getSubscriptions', null)).toEqual({ scopes: {} })
    await create('A')
    expect(await notificationsOf(other)).toEqual(['eventsChanged'])
    expect(await notificationsOf(one)).toEqual([changed('a')])
    one.io.disconnect().connect()
    await expect.poll(() => one.io.connected).toBe(true)
    expect(await send(one, 'getSubscriptions', null)).toEqual({ scopes: {} })
    await create('A')
    expect(await notificationsOf(one)).toEqual([changed('a'), 'eventsChanged'])
  })
})
