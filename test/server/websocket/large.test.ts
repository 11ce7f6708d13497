/** Large messages over a websocket: the same limit as JSON over HTTP, and ordered processing. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventIntegrity } from '../../../src/store/model/integrity.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { connectSocket, openSocket, type TestSocket } from '../../support/http/socket.js'

type Json = Record<string, unknown>

const MB = 1024 * 1024

let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode({ 'limits.json.maxSizeMb': 2 })
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
})
afterAll(() => node.stop())

const event = (size: number, more: object = {}): Json => ({ streamIds: ['diary'], type: 'bench/text', content: 'é"'.repeat(size / 4), ...more })
const eventOf = (result: Json | undefined): Json => result?.['event'] as Json

describe.each<[string, object]>([['websocket', {}], ['long polling', { polling: true }]])('messages over %s', (_, options) => {
  let socket: TestSocket
  beforeEach(async () => {
    socket = await connectSocket(node, 'alice', { token, ...options })
  })
  afterEach(() => socket.close())

  it('of 1.5 MB are accepted', async () => {
    const { error, result } = await socket.call('events.create', event(1.5 * MB, { clientData: { a: 1 } }))
    expect(error).toBeNull()
    expect(eventOf(result)).toMatchObject({ content: 'é"'.repeat((1.5 * MB) / 4), clientData: { a: 1 } })
    expect(eventOf(result)['integrity']).toBe(eventIntegrity(eventOf(result) as never, 'sha256'))
    const read = await request(`${node.url}alice/events/${String(eventOf(result)['id'])}`, { token })
    expect(read.body['event']).toEqual(eventOf(result))
  })

  it('over the limit of JSON fail as over HTTP, without closing the connection', async () => {
    const overHttp = await request(`${node.url}alice/events`, { token, body: event(3 * MB) })
    const { error, result } = await socket.call('events.create', event(3 * MB))
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ error: overHttp.body['error'], meta: {} })
    expect((overHttp.body['error'] as Json)['id']).toBe('payload-too-large')
    expect((await socket.call('getAccessInfo', {})).error).toBeNull()
    expect(socket.io.connected).toBe(true)
  })

  it('of different sizes are processed in order', async () => {
    const id = `c0000000000000000000abc${'polling' in options ? 'p' : 'w'}`
    const calls = [
      socket.call('events.create', event(300_000, { id })),
      socket.call('events.update', { id, update: { description: 'first' } }),
      socket.call('events.update', { id, update: { ...event(300_000), description: 'second' } }),
      socket.call('events.update', { id, update: { description: 'third' } }),
    ]
    const answers = await Promise.all(calls)
    expect(answers.map(({ error }) => error)).toEqual([null, null, null, null])
    expect(answers.map(({ result }) => eventOf(result)?.['description'])).toEqual([undefined, 'first', 'second', 'third'])
  })

  it('with a batch of 1 MB run each call', async () => {
    const calls = Array.from({ length: 5 }, () => ({ method: 'events.create', params: event(200_000) }))
    const { error, result } = await socket.call('callBatch', calls)
    expect(error).toBeNull()
    expect((result?.['results'] as Json[]).map((one) => Object.keys(one))).toEqual(calls.map(() => ['event']))
  })

  it.each<[string, string, unknown[], string]>([
    ['for an unknown method', 'nothing.here', [event(200_000)], 'invalid-method'],
    ['with the large parameter last', 'events.create', [{ a: 1 }, event(200_000)], 'invalid-request-structure'],
    ['with a second parameter', 'events.create', [event(200_000), 1], 'invalid-request-structure'],
    ['with a text as the parameter', 'events.create', ['x'.repeat(200_000)], 'invalid-parameters-format'],
    ['with an unknown member', 'events.create', [{ ...event(10), bytes: 'x'.repeat(200_000) }], 'invalid-parameters-format'],
    ['for a subscription', 'subscribe', [{ scopes: 'x'.repeat(200_000) }], 'invalid-request-structure'],
  ])('%s are refused without closing the connection', async (_name, id, content, failure) => {
    const { error } = await socket.call(id, ...content)
    expect((error?.['error'] as Json)['id']).toBe(failure)
    expect((await socket.call('getAccessInfo', {})).error).toBeNull()
  })
})

describe('without a token', () => {
  it('a message over the small limit closes the transport', async () => {
    const socket = openSocket(node, 'alice', { token: 'nobody' })
    const engine = socket.io.engine
    await new Promise<void>((resolve) => engine.once('open', () => resolve()))
    const closed = new Promise((resolve) => engine.once('close', resolve))
    engine.write(`2/alice,1["events.create",${JSON.stringify(event(70_000))}]`)
    await closed
    socket.close()
  })

  it('the small limit applies again after all namespaces of a transport are disconnected', async () => {
    const { io } = await connectSocket(node, 'alice', { token })
    const { engine } = io.io
    const closed = new Promise((resolve) => engine.once('close', resolve))
    engine.write('1/alice,')
    engine.write(`2/alice,1["events.create",${JSON.stringify(event(300_000))}]`)
    await closed
    io.close()
  })
})

it('a large message to a namespace that is not connected closes the transport', async () => {
  const { io } = await connectSocket(node, 'alice', { token })
  const { engine } = io.io
  const closed = new Promise((resolve) => engine.once('close', resolve))
  engine.write(`2/bob,1["events.create",${JSON.stringify(event(300_000))}]`)
  await closed
  io.close()
})
