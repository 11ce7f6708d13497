/** Clients that request large answers and do not read them: buffers are bounded, and other clients are still served. */
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { FREE_BYTES, type Receiver } from '../../../../src/server/call/answers/answerBudget.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { connectSocket } from '../../../support/http/socket.js'
import { frame, silentReader, stalledSocket, wireRequest } from '../../../support/http/slowReaders.js'

const BUDGET_MB = 16
const BUDGET = BUDGET_MB * 1024 * 1024
/** Characters of an event, and number of events: 24 MB together. */
const SIZE = 20_000
const EVENTS = 1200
const TEXT = 'x'.repeat(SIZE)
/** Characters of three and four bytes, so that slices end within a character. */
const LARGE = '€😀'.repeat(1_000_000)

let node: TestNode
let token: string
/** Maximum of the bytes buffered for one receiver. */
let maxBuffered = 0
let large: string
/** All receivers of answers, including former ones. */
const receivers = new Set<Receiver>()
const sockets: Socket[] = []

beforeAll(async () => {
  // Socket buffers of the system take some megabytes, so the budget is smaller than the default.
  node = await startTestNode({ 'limits.answers.maxWaitingMb': BUDGET_MB, 'limits.answers.timeoutMs': 600_000 })
  const { answerBudget: answers } = node.node
  const add = answers.add.bind(answers)
  vi.spyOn(answers, 'add').mockImplementation((receiver) => {
    receivers.add(receiver)
    return add(receiver)
  })
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 's', name: 's' } })
  await request(`${node.url}alice/streams`, { token, body: { id: 'other', name: 'other' } })
  const create = (content: string, stream = 's'): object => ({ streamIds: [stream], type: 'test/text', content })
  for (let made = 0; made < EVENTS; made += 200) {
    await request(`${node.url}alice`, { token, body: Array.from({ length: 200 }, () => ({ method: 'events.create', params: create(TEXT) })) })
  }
  const { body } = await request(`${node.url}alice/events`, { token, body: create(LARGE, 'other') })
  large = (body['event'] as { id: string }).id
}, 60_000)
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await expect.poll(() => node.node.answerBudget.used()).toBe(0)
  // Requests that wait for the budget check it periodically.
  await new Promise((resolve) => setTimeout(resolve, 200))
})
afterAll(() => node.stop())

const reader = (bytes: string): void => void sockets.push(silentReader(node.port, bytes))
const LIST = `GET /alice/events?limit=${EVENTS}&streams=s`
const CALL = [{ method: 'events.get', params: { limit: EVENTS, streams: ['s'] } }]
const bufferedFor = (receiver: Receiver): number => receiver.buffered() + receiver.held

/** Waits until the buffered bytes are stable; returns the maximum of their sum. */
async function maxUsed(): Promise<number> {
  let most = 0
  maxBuffered = 0
  let last = ''
  for (let same = 0; same < 10; ) {
    const each = [...receivers].map(bufferedFor)
    const now = each.join()
    maxBuffered = Math.max(maxBuffered, ...each)
    most = Math.max(most, node.node.answerBudget.used())
    same = now === last ? same + 1 : 0
    last = now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return most
}

/** Checks that another client is served. */
async function expectOthersServed(): Promise<void> {
  expect((await request(`${node.url}alice/events?limit=1&streams=s`, { token })).status).toBe(200)
  expect((await request(`${node.url}alice/streams`, { token })).status).toBe(200)
}

describe('clients that do not read their answers', () => {
  it('with lists have at most the free bytes of a connection buffered', async () => {
    for (let n = 0; n < 20; n++) reader(wireRequest(LIST, token))
    await maxUsed()
    expect(maxBuffered).toBeLessThanOrEqual(FREE_BYTES)
    await expectOthersServed()
  })

  it('with many requests on one connection cause one answer to be built', async () => {
    const begun = vi.spyOn(node.node.store.db, 'snapshot')
    reader(wireRequest(LIST, token).repeat(100))
    await maxUsed()
    expect(begun).toHaveBeenCalledTimes(1)
    begun.mockRestore()
    await expectOthersServed()
  })

  it.each([
    ['one large event', () => wireRequest(`GET /alice/events/${large}`, token)],
    ['a list of large events', () => wireRequest('GET /alice/events?streams=other', token)],
    ['a batch', () => wireRequest('POST /alice', token, CALL.map((call) => ({ ...call, params: { ...call.params, limit: 250 } })))],
  ])('with %s have at most the budget buffered together', async (_, bytes) => {
    for (let n = 0; n < 30; n++) reader(bytes())
    expect(await maxUsed()).toBeLessThanOrEqual(BUDGET)
    await expectOthersServed()
  }, 60_000)

  it('with large events have none read that exceeds the budget', async () => {
    const ids = [large]
    while (ids.length < 4) {
      const { body } = await request(`${node.url}alice/events`, { token, body: { streamIds: ['other'], type: 'test/text', content: LARGE } })
      ids.push((body['event'] as { id: string }).id)
    }
    // The node caches their sizes.
    for (const id of ids) await request(`${node.url}alice/events/${id}`, { token })
    const { db } = node.node.store
    const read = [vi.spyOn(db, 'get'), vi.spyOn(db, 'getBytes')]
    for (const id of ids) reader(wireRequest(`GET /alice/events/${id}`, token))
    await maxUsed()
    const lengths = read.flatMap(({ mock }) => mock.results.map(({ value }) => (value as { length: number } | undefined)?.length ?? 0))
    // Zero if bytes of an earlier answer are still buffered.
    expect(lengths.filter((length) => length > FREE_BYTES).length).toBeLessThanOrEqual(1)
    for (const spy of read) spy.mockRestore()
    await expectOthersServed()
    for (const id of ids.slice(1)) for (let n = 0; n < 2; n++) await request(`${node.url}alice/events/${id}`, { token, method: 'DELETE' })
  }, 60_000)

  it('over websockets have at most the budget buffered together', async () => {
    for (let n = 0; n < 10; n++) {
      const socket = await stalledSocket(node.port, 'alice', token)
      sockets.push(socket)
      for (let call = 1; call <= 8; call++) socket.write(frame(`42/alice,${call}["events.get",{"streams":["s"],"limit":250}]`))
    }
    expect(await maxUsed()).toBeLessThanOrEqual(BUDGET)
    const other = await connectSocket(node, 'alice', { token })
    expect((await other.call('events.get', { limit: 1, streams: ['s'] })).error).toBeNull()
    other.close()
  }, 60_000)

  it('over long polling have at most the budget buffered together', async () => {
    const address = `/socket.io/?EIO=4&transport=polling&auth=${token}`
    for (let n = 0; n < 10; n++) {
      const { sid } = JSON.parse((await (await fetch(node.url.slice(0, -1) + address)).text()).slice(1)) as { sid: string }
      const send = (packets: string): Promise<unknown> => fetch(`${node.url.slice(0, -1)}${address}&sid=${sid}`, { method: 'POST', body: packets })
      await send('40/alice,')
      await (await fetch(`${node.url.slice(0, -1)}${address}&sid=${sid}`)).text()
      await send('42/alice,1["events.get",{"streams":["s"],"limit":250}]')
      reader(wireRequest(`GET ${address}&sid=${sid}`, token))
    }
    expect(await maxUsed()).toBeLessThanOrEqual(BUDGET)
    await expectOthersServed()
  }, 60_000)
})

describe('large answers', () => {
  it.each([
    ['one event', () => `alice/events/${large}`, 'event'],
    ['a list', () => 'alice/events?streams=other', 'events'],
  ])('are complete: %s', async (_, path, member) => {
    const { body } = await request(node.url + path(), { token })
    const found = body[member]
    expect(((Array.isArray(found) ? found[0] : found) as { content: string }).content === LARGE).toBe(true)
    expect(body['meta']).toBeDefined()
  })

  it('release the budget when they are sent', async () => {
    await request(`${node.url}alice`, { token, body: CALL })
    expect(node.node.answerBudget.used()).toBe(0)
    expect([...receivers].reduce((sum, { held }) => sum + held, 0)).toBe(0)
  })

  it('larger than the budget are refused in a batch and streamed as a list', async () => {
    const many = CALL.map((call) => ({ ...call }))
    const { body } = await request(`${node.url}alice`, { token, body: many })
    expect((body['results'] as { error: { id: string } }[])[0]?.error.id).toBe('too-many-results')
    expect((await request(`${node.url}${LIST.slice(5)}`, { token })).body['events']).toHaveLength(EVENTS)
  })

  it('over websockets wait for clients that read', async () => {
    const socket = await connectSocket(node, 'alice', { token })
    const calls = Array.from({ length: 12 }, () => socket.call('events.get', { streams: ['s'], limit: 200 }))
    for (const { error, result } of await Promise.all(calls)) {
      expect(error).toBeNull()
      expect(result?.['events']).toHaveLength(200)
    }
    socket.close()
  }, 60_000)
})
