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
/** A over B; S beside it. */
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

async function connected(permissions?: Permission[]): Promise<TestSocket> {
  const token = permissions === undefined ? s.owner : await s.app(permissions)
  const socket = await connectSocket(node, s.username, { token })
  open.push(socket)
  return socket
}

const read = (...ids: string[]): Permission[] => ids.map((streamId) => ({ streamId, level: 'read' }))
const on = (...streams: string[]): Record<string, unknown> => ({ query: { streams } })
const create = (streamId: string): Promise<unknown> =>
  s.arrange('events.create', { streamIds: [streamId], type: 'mass/kg', content: 5 })

/** The acknowledgement of a message, or the id of its error. */
async function sent(socket: TestSocket, message: string, ...content: unknown[]): Promise<unknown> {
  const { error, result } = await socket.call(message, ...content)
  if (error === null) return result
  expect(result).toBeUndefined()
  expect(error).toEqual({ error: expect.anything(), meta: expect.objectContaining({ serverTime: expect.any(Number) }) })
  return (error['error'] as { id: string }).id
}

/** What a socket was told so far; another, without scopes, tells that everything has arrived. */
async function toldTo(socket: TestSocket): Promise<unknown[]> {
  await node.node.store.settled()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  await socket.call('getSubscriptions', null)
  return socket.received.map(({ name, content }) => (content.length === 0 ? name : [name, ...content]))
}
const changed = (...keys: string[]): unknown => ['notificationsChanged', { keys }]

describe('subscribe', () => {
  it('tells of what is in the scope, by its key, and no coarse messages', async () => {
    const socket = await connected()
    expect(await sent(socket, 'subscribe', { key: 'w', kind: 'events', ...on('A') })).toEqual({ ok: true, keys: ['w'] })
    await create('B')
    await create('S')
    await s.arrange('streams.create', { id: 'N', name: 'N' })
    await s.arrange('accesses.create', { name: 'x', permissions: [] })
    expect(await toldTo(socket)).toEqual([changed('w')])
  })

  it('takes several scopes, and tells all that match', async () => {
    const socket = await connected()
    const scopes = { a: on('A'), st: { kind: 'streams', query: { streams: ['A'] } }, all: {} }
    expect(await sent(socket, 'subscribe', { scopes })).toEqual({ ok: true, keys: ['a', 'st', 'all'] })
    expect(await sent(socket, 'subscribe', { key: 's', ...on('S') })).toEqual({ ok: true, keys: ['a', 'st', 'all', 's'] })
    await create('A')
    await create('S')
    expect(await toldTo(socket)).toEqual([changed('a', 'all'), changed('all', 's')])
  })

  it('tells of a new child of a stream', async () => {
    const socket = await connected(read('A'))
    await sent(socket, 'subscribe', { key: 'st', kind: 'streams', query: { streams: ['A'] } })
    await s.arrange('streams.create', { id: 'N', name: 'N', parentId: 'B' })
    await s.arrange('streams.create', { id: 'M', name: 'M', parentId: 'S' })
    expect(await toldTo(socket)).toEqual([changed('st')])
  })

  it('replaces a scope of the same key', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', { scopes: { a: on('A'), b: {} } })
    expect(await sent(socket, 'subscribe', { key: 'a', ...on('S') })).toEqual({ ok: true, keys: ['a', 'b'] })
    await sent(socket, 'unsubscribe', { key: 'b' })
    await create('A')
    await create('S')
    expect(await toldTo(socket)).toEqual([changed('a')])
  })

  it('keeps a scope whose replacement is refused', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', { key: 'a', ...on('A') })
    expect(await sent(socket, 'subscribe', { key: 'a', ...on('Z') })).toBe('unknown-referenced-resource')
    expect(await sent(socket, 'getSubscriptions', null)).toEqual({ scopes: { a: { kind: 'events', ...on('A') } } })
  })

  it('is refused as a whole with one of several, and the coarse messages go on', async () => {
    const socket = await connected(read('A'))
    const scopes = { a: on('A'), no: on('S'), after: {} }
    expect(await sent(socket, 'subscribe', { scopes })).toBe('forbidden')
    expect(await sent(socket, 'getSubscriptions', {})).toEqual({ scopes: {} })
    await create('A')
    expect(await toldTo(socket)).toEqual(['eventsChanged'])
  })

  it('is refused as a whole with one of several, and the scopes that were there stay as they were', async () => {
    const socket = await connected(read('A'))
    await sent(socket, 'subscribe', { key: 'a', ...on('A') })
    for (const bad of [on('S'), on('Z'), { kind: 'accesses' }, { query: { limit: 5 } }, null]) {
      expect(await sent(socket, 'subscribe', { scopes: { a: on('B'), b: {}, bad } })).toBeTypeOf('string')
    }
    expect(await sent(socket, 'getSubscriptions', {})).toEqual({ scopes: { a: { kind: 'events', ...on('A') } } })
    await create('A')
    expect(await toldTo(socket)).toEqual([changed('a')])
  })

  it('takes 100 scopes for a connection', async () => {
    const socket = await connected()
    const scopes = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, {}]))
    const others = Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`o${i}`, {}]))
    const [first, second] = await Promise.all([
      sent(socket, 'subscribe', { scopes }),
      sent(socket, 'subscribe', { scopes: others }),
    ])
    expect(first).toMatchObject({ ok: true })
    expect(second).toBe('invalid-request-structure')
    expect(await sent(socket, 'subscribe', { key: 'k3', ...on('A') })).toMatchObject({ ok: true })
    expect(await sent(socket, 'unsubscribe', { keys: ['o39', 'k0'] })).toMatchObject({ ok: true })
    expect((await sent(socket, 'subscribe', { key: 'o40' })) as { keys: string[] }).toMatchObject({ ok: true })
  })

  const malformed: [name: string, content: unknown][] = [
    ['null', null],
    ['a list', [{ key: 'a' }]],
    ['a text', 'a'],
    ['neither key nor scopes', {}],
    ['neither key nor scopes, but a kind', { kind: 'events' }],
    ['both', { key: 'a', scopes: {} }],
    ['a key that is no text', { key: 5 }],
    ['a key that is null', { key: null }],
    ['an empty key', { key: '' }],
    ['a key that is too long', { key: 'k'.repeat(257) }],
    ['scopes that are a list', { scopes: [] }],
    ['scopes that are null', { scopes: null }],
    ['a kind beside scopes', { scopes: { a: {} }, kind: 'streams' }],
    ['a scope that is null', { scopes: { a: null } }],
    ['an unknown kind', { key: 'a', kind: 'profile' }],
    ['a kind that every object has', { key: 'a', kind: 'toString' }],
    ['a query that is no object', { key: 'a', query: 'A' }],
    ['an unknown member', { key: 'a', streams: ['A'] }],
    ['all accesses', { key: 'a', kind: 'accesses' }],
  ]
  it.each(malformed)('refuses %s', async (_, content) => {
    const socket = await connected()
    expect(await sent(socket, 'subscribe', content)).toBe('invalid-request-structure')
    await create('A')
    expect(await toldTo(socket)).toEqual(['eventsChanged'])
  })

  it('refuses to be without content', async () => {
    expect(await sent(await connected(), 'subscribe')).toBe('invalid-request-structure')
  })

  it('has the refusals of queries', async () => {
    const socket = await connected(read('A'))
    expect(await sent(socket, 'subscribe', { key: 'a', ...on('Z') })).toBe('unknown-referenced-resource')
    expect(await sent(socket, 'subscribe', { key: 'a', ...on('S') })).toBe('forbidden')
    expect(await sent(socket, 'subscribe', { key: 'a', query: { types: ['mass'] } })).toBe('invalid-parameters-format')
    expect(await sent(socket, 'subscribe', { key: 'a', query: { content: 5 } })).toBe('invalid-parameters-format')
    expect(await sent(socket, 'subscribe', { key: 'a', query: { limit: 5 } })).toBe('invalid-parameters-format')
  })
})

describe('accesses of each type', () => {
  const accesses = { key: 'acc', kind: 'accesses', query: { types: ['shared'] } }

  it('let the owner follow accesses', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', accesses)
    await s.arrange('accesses.create', { name: 'x', permissions: read('A') })
    expect(await toldTo(socket)).toEqual([changed('acc')])
  })

  it('let no app or shared access follow accesses', async () => {
    expect(await sent(await connected([{ streamId: '*', level: 'manage' }]), 'subscribe', accesses)).toBe('forbidden')
    const { access } = await s.arrange('accesses.create', { name: 'x', permissions: read('A') })
    const shared = await connectSocket(node, s.username, { token: (access as { token: string }).token })
    open.push(shared)
    expect(await sent(shared, 'subscribe', accesses)).toBe('forbidden')
    expect(await sent(shared, 'subscribe', { key: 'w' })).toEqual({ ok: true, keys: ['w'] })
    await create('S')
    await create('B')
    expect(await toldTo(shared)).toEqual([changed('w')])
  })

  it('tell an app what it may read alone', async () => {
    const socket = await connected([...read('A'), { streamId: 'B', level: 'none' }])
    await sent(socket, 'subscribe', { key: 'w' })
    await create('B')
    await create('S')
    await create('A')
    expect(await toldTo(socket)).toEqual([changed('w')])
  })

  it('tell an access that may only create nothing of events, and of the streams that it lists', async () => {
    const socket = await connected([{ streamId: 'A', level: 'create-only' }])
    expect(await sent(socket, 'subscribe', { key: 'e', ...on('A') })).toBe('forbidden')
    await sent(socket, 'subscribe', { scopes: { e: {}, st: { kind: 'streams' } } })
    await create('A')
    await s.arrange('streams.update', { id: 'B', update: { name: 'b' } })
    await s.arrange('streams.update', { id: 'S', update: { name: 's' } })
    expect(await toldTo(socket)).toEqual([changed('st')])
  })
})

describe('scopes', () => {
  it('tell of each call of a batch by itself', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', { scopes: { a: on('A'), b: on('B') } })
    const made = (id: string): object => ({ method: 'events.create', params: { streamIds: [id], type: 'note/txt', content: id } })
    const answer = await request(s.node.url + s.username, { token: s.owner, body: [made('A'), made('B'), made('A'), made('S')] })
    expect(answer.status).toBe(200)
    expect(await toldTo(socket)).toEqual([changed('a'), changed('a', 'b'), changed('a')])
  })

  it('of more than a client is told of one by one are put together, and it stays', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', { scopes: { a: on('A'), b: on('B') } })
    const made = (id: string): object => ({ method: 'events.create', params: { streamIds: [id], type: 'count/generic', content: 1 } })
    const calls = 12_000
    const body = Array.from({ length: calls }, (_, at) => made(at === calls - 1 ? 'B' : 'A'))
    expect((await request(s.node.url + s.username, { token: s.owner, body })).status).toBe(200)
    await expect.poll(() => socket.received.some(({ content }) => JSON.stringify(content).includes('"b"'))).toBe(true)
    expect(socket.count('notificationsChanged')).toBeLessThan(calls)
    await create('S')
    await create('B')
    expect((await toldTo(socket)).at(-1)).toEqual(changed('a', 'b'))
  })
})

describe('unsubscribe', () => {
  it('ends a scope, and after the last gives the coarse messages back', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', { scopes: { a: on('A'), b: on('B'), s: on('S') } })
    expect(await sent(socket, 'unsubscribe', { key: 'a' })).toEqual({ ok: true, keys: ['b', 's'] })
    await create('A')
    await create('S')
    expect(await sent(socket, 'unsubscribe', { keys: ['b', 's', 'none'] })).toEqual({ ok: true, keys: [] })
    await create('A')
    expect(await toldTo(socket)).toEqual([changed('s'), 'eventsChanged'])
  })

  it('ends all', async () => {
    const socket = await connected()
    await sent(socket, 'subscribe', { scopes: { a: on('A'), s: on('S') } })
    expect(await sent(socket, 'unsubscribe', { all: true })).toEqual({ ok: true, keys: [] })
    await create('A')
    expect(await toldTo(socket)).toEqual(['eventsChanged'])
  })

  it('ends nothing of a connection without scopes', async () => {
    const socket = await connected()
    expect(await sent(socket, 'unsubscribe', { key: 'constructor' })).toEqual({ ok: true, keys: [] })
    expect(await sent(socket, 'unsubscribe', { keys: [] })).toEqual({ ok: true, keys: [] })
  })

  const malformed = [null, undefined, {}, [], 'a', { key: 5 }, { keys: 'a' }, { keys: ['a', 5] }, { all: false }, { all: 1 }, { key: 'a', all: true }, { name: 'a' }]
  it.each(malformed.map((content) => [JSON.stringify(content) ?? 'nothing', content]))('refuses %s', async (_, content) => {
    const socket = await connected()
    await sent(socket, 'subscribe', { key: 'a' })
    const asked = content === undefined ? [] : [content]
    expect(await sent(socket, 'unsubscribe', ...asked)).toBe('invalid-request-structure')
    expect(await sent(socket, 'getSubscriptions')).toEqual({ scopes: { a: { kind: 'events', query: {} } } })
  })
})

describe('getSubscriptions', () => {
  it('answers the scopes with their queries as they were sent', async () => {
    const socket = await connected()
    const query = { streams: '{"any":["A"]}', content: [{ path: '$', gt: 1 }] }
    await sent(socket, 'subscribe', { scopes: { w: { query }, st: { kind: 'streams' } } })
    const scopes = { w: { kind: 'events', query }, st: { kind: 'streams', query: {} } }
    for (const content of [[null], [{}], []]) expect(await sent(socket, 'getSubscriptions', ...content)).toEqual({ scopes })
    expect(await sent(socket, 'getSubscriptions', { key: 'w' })).toBe('invalid-request-structure')
  })

  it('answers keys that every object has', async () => {
    const socket = await connected()
    const scopes: unknown = JSON.parse('{"__proto__":{"kind":"streams"},"constructor":{}}')
    expect(await sent(socket, 'subscribe', { scopes })).toEqual({ ok: true, keys: ['__proto__', 'constructor'] })
    await create('A')
    await s.arrange('streams.create', { id: 'N', name: 'N' })
    expect(await toldTo(socket)).toEqual([changed('constructor'), changed('__proto__')])
    expect(JSON.stringify(await sent(socket, 'getSubscriptions', null))).toBe(
      '{"scopes":{"__proto__":{"kind":"streams","query":{}},"constructor":{"kind":"events","query":{}}}}',
    )
    expect(await sent(socket, 'unsubscribe', { key: '__proto__' })).toEqual({ ok: true, keys: ['constructor'] })
  })

  it('is of one connection, and goes with it', async () => {
    const [one, other] = [await connected(), await connected()]
    await sent(one, 'subscribe', { key: 'a', ...on('A') })
    expect(await sent(other, 'getSubscriptions', null)).toEqual({ scopes: {} })
    await create('A')
    expect(await toldTo(other)).toEqual(['eventsChanged'])
    expect(await toldTo(one)).toEqual([changed('a')])
    one.io.disconnect().connect()
    await expect.poll(() => one.io.connected).toBe(true)
    expect(await sent(one, 'getSubscriptions', null)).toEqual({ scopes: {} })
    await create('A')
    expect(await toldTo(one)).toEqual([changed('a'), 'eventsChanged'])
  })
})
