/** Calls over a websocket: docs/interface/notifications.md#calls. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methods } from '../../../src/server/api/methods.js'
import { grantAccess } from '../../support/people/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { connectSocket, type TestSocket } from '../../support/http/socket.js'
import { ssoOn } from '../../support/people/sso.js'

type Json = Record<string, unknown>

let node: TestNode
let token: string
let socket: TestSocket
beforeAll(async () => {
  node = await startTestNode({ 'limits.batch.maxTotalItems': 30, ...ssoOn })
  token = await registerUser(node, 'alice')
  for (const id of ['diary', 'work']) await request(`${node.url}alice/streams`, { token, body: { id, name: id } })
  await request(`${node.url}alice/streams`, { token, body: { id: 'day', name: 'Day', parentId: 'diary' } })
  socket = await connectSocket(node, 'alice', { token })
})
afterAll(async () => {
  socket.close()
  await node.stop()
})

const meta = { apiVersion: expect.any(String) as string, serverTime: expect.any(Number) as number, serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string }
const note = (content: string, more: Json = {}): Json => ({ streamIds: ['diary'], type: 'note/txt', content, ...more })

describe('a call over a websocket', () => {
  it('returns the result of the method with meta', async () => {
    const { error, result } = await socket.call('streams.get', { parentId: 'diary' })
    expect(error).toBeNull()
    expect(Object.keys(result ?? {})).toEqual(['streams', 'meta'])
    expect(result).toMatchObject({ streams: [{ id: 'day' }], meta })
  })

  it('returns the same events as HTTP', async () => {
    await socket.call('events.create', note('“quoted” \u2028 line', { clientData: { 'a:b': [1, null, { ü: true }] } }))
    const { body } = await request(`${node.url}alice/events?streams=diary`, { token })
    const { result } = await socket.call('events.get', { streams: ['diary'] })
    expect(result?.['events']).toEqual(body['events'])
  })

  it.each([
    ['a list of ids', ['diary']],
    ['an object', { any: ['diary'] }],
    ['JSON text', '{"any":["diary"]}'],
  ])('accepts a streams query as %s', async (_, streams) => {
    const { error, result } = await socket.call('events.get', { streams })
    expect(error).toBeNull()
    expect((result?.['events'] as Json[]).length).toBeGreaterThan(0)
    for (const event of result?.['events'] as Json[]) expect(event['streamIds']).toEqual(['diary'])
  })

  it('returns the same failures as HTTP, with meta and no result', async () => {
    expect(await socket.call('streams.create', { id: 'diary', name: 'Other' })).toEqual({
      error: { error: { id: 'item-already-exists', message: expect.any(String) as string, data: { id: 'diary' } }, meta },
      result: undefined,
    })
    const { error } = await socket.call('events.create', { type: 'note/txt' })
    expect(error).toMatchObject({ error: { id: 'invalid-parameters-format', data: [{ path: expect.any(String) as string }] } })
  })

  it.each([
    ['an unknown name', 'nothing.here'],
    ['a property of objects', 'constructor'],
    ['a prototype', '__proto__'],
    ['an inherited method', 'toString'],
    ['an event of the library', 'message'],
    ['the error event', 'error'],
    ['an empty name', ''],
  ])('refuses an unknown method: %s', async (_, id) => {
    const { error, result } = await socket.call(id, {})
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ error: { id: 'invalid-method', message: `There is no method "${id}".` }, meta })
  })

  it('truncates a long method name in the failure', async () => {
    const { error } = await socket.call('x'.repeat(900_000), {})
    expect((error?.['error'] as Json)['message']).toBe(`There is no method "${'x'.repeat(60)}…".`)
  })

  it.each([
    ['none', []],
    ['two', [{}, {}]],
    ['null', [null]],
    ['text', ['text']],
    ['a number', [5]],
  ])('refuses parameters other than one object: %s', async (_, content) => {
    const { error, result } = await socket.call('events.get', ...content)
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ error: { id: 'invalid-parameters-format' }, meta })
  })

  it('is ignored without a callback', async () => {
    socket.io.emit('events.create', note('nobody waits'))
    socket.io.emit('events.create')
    socket.io.emit('nothing.here', null, 5)
    await socket.call('events.create', note('somebody waits'))
    const { result } = await socket.call('events.get', { streams: ['diary'] })
    expect(JSON.stringify(result)).not.toContain('nobody waits')
    expect(JSON.stringify(result)).toContain('somebody waits')
  })

  it('runs a batch', async () => {
    const { error, result } = await socket.call('callBatch', [
      { method: 'events.create', params: note('of a batch') },
      { method: 'nothing.here', params: {} },
      { method: 'callBatch', params: [] },
      { method: 'events.get', params: { streams: ['diary'], limit: 1 } },
    ])
    expect(error).toBeNull()
    expect(result).toMatchObject({
      results: [
        { event: { content: 'of a batch' } },
        { error: { id: 'invalid-method' } },
        { error: { id: 'invalid-method' } },
        { events: [{ content: 'of a batch' }] },
      ],
      meta,
    })
  })

  it('refuses an invalid batch', async () => {
    for (const content of [{}, [{ params: {} }], [5]]) {
      expect((await socket.call('callBatch', content)).error).toMatchObject({ error: { id: 'invalid-parameters-format' } })
    }
  })

  const alone = methods.filter((method) => method.notInBatch === true && method.id !== 'callBatch').map(({ id }) => [id])
  it.each(alone)('refuses %s, which requires other credentials', async (id) => {
    expect((await socket.call(id, {})).error).toMatchObject({ error: { id: 'invalid-method' }, meta })
  })

  it.each([['auth.usernameCheck'], ['getServiceInfo'], ['system.createUser']])('refuses methods without an account: %s', async (id) => {
    const { error } = await socket.call(id, {})
    expect(error).toMatchObject({ error: { id: 'invalid-method' } })
  })

  it('refuses an answer with too many items', async () => {
    await socket.call(
      'callBatch',
      Array.from({ length: 31 }, (_, i) => ({ method: 'events.create', params: note(`no ${i}`, { streamIds: ['work'] }) })),
    )
    const { error, result } = await socket.call('events.get', { streams: ['work'], limit: 100 })
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ error: { id: 'too-many-results', data: { limit: 30 } }, meta })
    expect((await socket.call('events.get', { streams: ['work'], limit: 30 })).error).toBeNull()
  })

  it('refuses descriptors of uploads', async () => {
    const { error } = await socket.call('events.create', note('x', { files: [{ name: 'a', path: '/etc/passwd' }] }))
    expect(error).toMatchObject({ error: { id: 'invalid-parameters-format' } })
  })

  it('answers each of many concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, i) => socket.call(i % 2 === 0 ? 'events.create' : 'nothing.here', note(`many ${i}`))),
    )
    for (const [i, { error, result }] of answers.entries()) {
      if (i % 2 === 0) expect(result).toMatchObject({ event: { content: `many ${i}` } })
      else expect(error).toMatchObject({ error: { id: 'invalid-method' } })
    }
  })

  it('has the permissions of its access', async () => {
    const { token: given } = await grantAccess(node, 'alice', [{ streamId: 'work', level: 'read' }])
    const app = await connectSocket(node, 'alice', { token: given })
    expect((await app.call('events.create', note('x'))).error).toMatchObject({ error: { id: 'forbidden' } })
    expect((await app.call('events.get', { streams: ['work'], limit: 1 })).error).toBeNull()
    app.close()
  })

  it('is counted as use of its access', async () => {
    const { token: given } = await grantAccess(node, 'alice', [{ streamId: 'work', level: 'read' }])
    const app = await connectSocket(node, 'alice', { token: given })
    await app.call('events.get', { limit: 1 })
    await app.call('callBatch', [{ method: 'events.get', params: { limit: 1 } }])
    const { result } = await app.call('getAccessInfo', {})
    expect(result).toMatchObject({ calls: { 'events:get': 2, getAccessInfo: 1 } })
    app.close()
  })
})

describe('the record of a call over a websocket', () => {
  const records = async (access: string): Promise<Json[]> => {
    const query = `streams=:_audit:access-${access}&limit=30`
    const { body } = await request(`${node.url}alice/events?${query}`, { token })
    return (body['events'] as Json[]).map(({ type, content }) => ({ type, content }) as Json)
  }

  it('contains the source, the number of results and the streams', async () => {
    const { token: given, id } = await grantAccess(node, 'alice', [{ streamId: 'work', level: 'read' }])
    const app = await connectSocket(node, 'alice', { token: given })
    await app.call('events.get', { streams: ['work'], limit: 3 })
    const over = await request(`${node.url}alice/events?streams=work&limit=3`, { token: given })
    expect(over.status).toBe(200)
    app.close()
    const [ofHttp, ofSocket] = await records(id)
    const { source, query: _, ...expected } = ofHttp?.['content'] as Json
    expect(source).toMatchObject({ name: 'http' })
    const { source: own, ...content } = ofSocket?.['content'] as Json
    expect(own).toEqual({ name: 'socket.io', ip: '127.0.0.1' })
    expect(content).toEqual({ ...expected, query: content['query'] })
    expect(content).toMatchObject({ action: 'events.get', recordCount: 3 })
  })

  it('is written for changes, refusals and each call of a batch', async () => {
    const { token: given, id } = await grantAccess(node, 'alice', [{ streamId: 'work', level: 'contribute' }])
    const app = await connectSocket(node, 'alice', { token: given })
    await app.call('events.create', note('x', { streamIds: ['work'] }))
    await app.call('events.create', note('x', { streamIds: ['diary'] }))
    await app.call('callBatch', [
      { method: 'streams.get', params: {} },
      { method: 'streams.create', params: { name: 'x' } },
    ])
    app.close()
    const found = (await records(id)).reverse()
    expect(found.map(({ type, content }) => [type, (content as Json)['action'], (content as Json)['id']])).toEqual([
      ['log/user-api', 'events.create', undefined],
      ['log/user-api-error', 'events.create', 'forbidden'],
      ['log/user-api', 'streams.get', undefined],
      ['log/user-api-error', 'streams.create', 'forbidden'],
    ])
    for (const { content } of found) expect((content as Json)['source']).toMatchObject({ name: 'socket.io' })
  })
})
