/** Notifications of connected clients: docs/interface/notifications.md#messages. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createControl } from '../../../src/server/control/control.js'
import { methods } from '../../../src/server/api/methods.js'
import { grantAccess } from '../../support/people/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { connectSocket, type TestSocket } from '../../support/http/socket.js'

type Json = Record<string, unknown>

let node: TestNode
let token: string
let caller: TestSocket
let listeners: TestSocket[]
let stranger: TestSocket
beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
  const other = await registerUser(node, 'bobby')
  await request(`${node.url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
  const app = await grantAccess(node, 'alice', [{ streamId: 'diary', level: 'create-only' }])
  caller = await connectSocket(node, 'alice', { token })
  listeners = [
    await connectSocket(node, 'alice', { token, namespace: '/alice/alice' }),
    await connectSocket(node, 'alice', { token: app.token }),
    await connectSocket(node, 'alice', { token, polling: true }),
  ]
  stranger = await connectSocket(node, 'bobby', { token: other })
})
afterAll(async () => {
  for (const socket of [caller, stranger, ...listeners]) socket.close()
  await node.stop()
})
beforeEach(async () => {
  await settle()
  for (const { received } of [caller, stranger, ...listeners]) received.length = 0
})

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 120))
const api = (method: string, path: string, body?: unknown): Promise<Json> =>
  request(`${node.url}alice/${path}`, { method, token, ...(body === undefined ? {} : { body }) }).then(({ body, status }) => {
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    return body
  })
const note = (content: string): Json => ({ streamIds: ['diary'], type: 'note/txt', content })

/** Waits; returns the notifications of each socket of the account. Checks that other accounts received none. */
async function notifications(): Promise<string[]> {
  const names = ({ received }: TestSocket): string[] => received.map(({ name }) => name)
  await settle()
  const first = names(caller)
  for (const listener of listeners) expect(names(listener)).toEqual(first)
  expect(stranger.received).toEqual([])
  return first
}

describe('sockets of an account are notified', () => {
  it('of each event that is created, updated, trashed and deleted, once', async () => {
    const { event } = (await api('POST', 'events', note('one'))) as { event: { id: string } }
    expect(await notifications()).toEqual(['eventsChanged'])
    await api('PUT', `events/${event.id}`, { content: 'two' })
    expect(await notifications()).toHaveLength(2)
    await api('DELETE', `events/${event.id}`)
    await api('DELETE', `events/${event.id}`)
    expect(await notifications()).toEqual(Array(4).fill('eventsChanged'))
    for (const { content } of caller.received) expect(content).toEqual([])
  })

  it('of attached files', async () => {
    const { event } = (await api('POST', 'events', note('one'))) as { event: { id: string } }
    const form = new FormData()
    form.append('file', new Blob(['text']), 'a.txt')
    const response = await fetch(`${node.url}alice/events/${event.id}`, { method: 'POST', body: form, headers: { authorization: token } })
    const { event: changed } = (await response.json()) as { event: { attachments: { id: string }[] } }
    await api('DELETE', `events/${event.id}/${changed.attachments[0]?.id ?? ''}`)
    expect(await notifications()).toEqual(Array(3).fill('eventsChanged'))
  })

  it('of streams', async () => {
    await api('POST', 'streams', { id: 'work', name: 'Work' })
    await api('PUT', 'streams/work', { name: 'Labour' })
    await api('DELETE', 'streams/work')
    await api('DELETE', 'streams/work')
    expect(await notifications()).toEqual(Array(4).fill('streamsChanged'))
  })

  it('of a deleted stream and the events deleted with it, once each', async () => {
    await api('POST', 'streams', { id: 'trip', name: 'Trip' })
    for (const content of ['a', 'b', 'c']) await api('POST', 'events', { ...note(content), streamIds: ['trip'] })
    await api('DELETE', 'streams/trip')
    await settle()
    for (const { received } of [caller, ...listeners]) received.length = 0
    await api('DELETE', 'streams/trip?mergeEventsWithParent=false')
    expect((await notifications()).sort()).toEqual(['eventsChanged', 'streamsChanged'])
  })

  it('of accesses, and of the new version of an updated one', async () => {
    const { access } = (await api('POST', 'accesses', { name: 'app', permissions: [{ streamId: 'diary', level: 'read' }] })) as {
      access: { id: string }
    }
    const changed = (await api('PUT', `accesses/${access.id}`, { name: 'renamed' })) as { access: { id: string } }
    await api('DELETE', `accesses/${changed.access.id}`)
    expect(await notifications()).toEqual(['accessesChanged', 'accessesChanged', 'accessUpdated', 'accessesChanged'])
    const [base, serial] = changed.access.id.split(':')
    const update = caller.received.find(({ name }) => name === 'accessUpdated')
    expect(update?.content).toEqual([{ type: 'access-updated', accessId: `${base ?? ''}:${serial ?? ''}`, serial: Number(serial) }])
  })

  it('of streams created with an access', async () => {
    await api('POST', 'accesses', { name: 'maker', permissions: [{ streamId: 'made', defaultName: 'Made', level: 'read' }] })
    expect((await notifications()).sort()).toEqual(['accessesChanged', 'streamsChanged'])
  })

  it('of changes by a socket, including the caller itself', async () => {
    const { error } = await caller.call('events.create', note('by socket'))
    expect(error).toBeNull()
    expect(await notifications()).toEqual(['eventsChanged'])
  })

  it('of each call of a batch that changes data', async () => {
    await api('POST', '', [
      { method: 'events.create', params: note('one') },
      { method: 'events.get', params: {} },
      { method: 'events.create', params: note('two') },
      { method: 'events.create', params: {} },
    ])
    expect(await notifications()).toEqual(['eventsChanged', 'eventsChanged'])
  })

  it('of each call of a large batch, in order', async () => {
    const create = { method: 'events.create', params: note('one of many') }
    await api('POST', '', Array.from({ length: 40 }, () => create))
    expect(await notifications()).toEqual(Array(40).fill('eventsChanged'))
    for (const { received } of [caller, ...listeners]) received.length = 0
    await api('POST', '', [{ method: 'streams.create', params: { id: 'quick', name: 'Quick' } }, create, create])
    expect(await notifications()).toEqual(['streamsChanged', 'eventsChanged', 'eventsChanged'])
  })

  it('of changes through the control socket', async () => {
    const control = createControl(node.node, methods, [])
    await control.call('events.create', note('by command'), { user: 'alice' })
    expect(await notifications()).toEqual(['eventsChanged'])
  })

  it('but not of calls without changes', async () => {
    await api('GET', 'events')
    await api('GET', 'streams')
    await request(`${node.url}alice/events`, { token, body: { streamIds: ['nowhere'], type: 'note/txt' } })
    await api('PUT', 'profile/private', { a: 1 })
    await request(`${node.url}alice/auth/login`, {
      body: { username: 'alice', password: 'correct horse', appId: 'test-app' },
      headers: { origin: 'http://127.0.0.1' },
    })
    expect(await notifications()).toEqual([])
  })
})

it('a change is readable when its notification arrives', async () => {
  const socket = await connectSocket(node, 'alice', { token })
  for (let i = 0; i < 50; i++) {
    const result = new Promise<Json | undefined>((resolve) => {
      socket.io.once('eventsChanged', () => void socket.call('events.get', { streams: ['diary'], limit: 1 }).then((answer) => resolve(answer.result)))
    })
    await caller.call('events.create', note(`number ${i}`))
    expect(await result).toMatchObject({ events: [{ content: `number ${i}` }] })
  }
  socket.close()
})
