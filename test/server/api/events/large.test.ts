/** Events with large content, most of whose processing runs in a worker thread, behave like small ones. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventIntegrity } from '../../../../src/store/model/integrity.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'

let node: TestNode
let token: string

beforeAll(async () => {
  node = await startTestNode({ 'versioning.deletionMode': 'keep-nothing' })
  token = await registerUser(node, 'alice')
  await api('streams', { id: 's', name: 'S' })
})
afterAll(() => node.stop())

const api = (path: string, body?: unknown, method?: string): ReturnType<typeof request> =>
  request(`${node.url}alice/${path}`, { token, ...(body === undefined ? {} : { body }), ...(method === undefined ? {} : { method }) })

interface EventResult {
  id: string
  content: unknown
  integrity: string
  clientData?: Record<string, unknown>
}

const COUNT = 20_000
/** Values of several hundred kilobytes with special numbers, characters and keys. */
const contents: [name: string, content: unknown][] = [
  ['an object', { b: Array.from({ length: COUNT }, (_, i) => ({ z: i, a: null, text: `"${i}\u2028` })), a: 1, __proto__: 1 }],
  ['an array', Array.from({ length: COUNT }, (_, i) => [i, -0, 1e21, i / 7, 'é☃', null])],
  ['an object with an own property named __proto__', JSON.parse(`{"__proto__":${JSON.stringify(Array(COUNT).fill('x'))}}`)],
  ['a text', 'a"\\\n\u2028😀'.repeat(COUNT)],
]

describe.each(contents)('%s as content', (_, content) => {
  const data = { big: content, small: 1 }
  let stored: EventResult

  it('is stored unchanged, with a reproducible integrity', async () => {
    const answer = await api('events', { streamIds: ['s'], type: 'test/free', content, clientData: data })
    expect(answer.status).toBe(201)
    stored = (answer.body as { event: EventResult }).event
    expect(stored.content).toEqual(JSON.parse(JSON.stringify(content)))
    expect(stored.clientData).toEqual(JSON.parse(JSON.stringify(data)))
    expect(stored.integrity).toBe(eventIntegrity(stored as never, 'sha256'))
    expect((await api(`events/${stored.id}`)).body).toMatchObject({ event: stored })
  })

  it('has a reproducible integrity without client data, and after an update', async () => {
    const { event } = (await api('events', { streamIds: ['s'], type: 'test/free', content })).body as { event: EventResult }
    expect(event.integrity).toBe(eventIntegrity(event as never, 'sha256'))
    const other = (await api('events', { streamIds: ['s'], type: 'test/free', content: 1 })).body as { event: EventResult }
    const { event: changed } = (await api(`events/${other.event.id}`, { content }, 'PUT')).body as { event: EventResult }
    expect(changed.content).toEqual(event.content)
    expect(changed.integrity).toBe(eventIntegrity(changed as never, 'sha256'))
    expect((await api(`events/${changed.id}`)).body).toMatchObject({ event: changed })
  })

  it('is returned in its current version to permitted readers, with its attachments', async () => {
    const { event } = (await api('events', { streamIds: ['s'], type: 'test/free', content })).body as { event: EventResult }
    const reader = await request(`${node.url}alice/accesses`, { token, body: { name: `of ${event.id}`, permissions: [{ streamId: 's', level: 'read' }] } })
    const stranger = await request(`${node.url}alice/accesses`, { token, body: { name: `not of ${event.id}`, permissions: [{ tag: 'wanted', level: 'read' }] } })
    const as = ({ body }: typeof reader): ReturnType<typeof request> => request(`${node.url}alice/events/${event.id}`, { token: (body['access'] as { token: string }).token })
    for (let n = 0; n < 2; n++) {
      expect((await as(reader)).body).toMatchObject({ event })
      expect((await as(stranger)).status).toBe(403)
    }
    const changed = (await api(`events/${event.id}`, { tags: ['wanted'] }, 'PUT')).body as { event: EventResult }
    expect((await as(stranger)).body).toMatchObject({ event: changed.event })
    const form = new FormData()
    form.append('file', new Blob(['x']), 'x.txt')
    const attached = await fetch(`${node.url}alice/events/${event.id}`, { method: 'POST', headers: { authorization: token }, body: form })
    expect(attached.status).toBe(200)
    expect((await as(reader)).body).toMatchObject({ event: { attachments: [{ fileName: 'x.txt', readToken: expect.any(String) as string }] } })
    await api(`events/${event.id}`, { content: 1 }, 'PUT')
    expect((await as(reader)).body).toMatchObject({ event: { content: 1 } })
    await api(`events/${event.id}`, undefined, 'DELETE')
    await api(`events/${event.id}`, undefined, 'DELETE')
    expect((await as(reader)).body).toMatchObject({ event: { id: event.id, deleted: expect.any(Number) as number } })
  })

  it('remains after updates of other fields, is found by conditions, and is deleted with the event', async () => {
    const changed = (await api(`events/${stored.id}`, { description: 'new', clientData: { small: 2 } }, 'PUT')).body as { event: EventResult }
    expect(changed.event).toMatchObject({ content: stored.content, description: 'new', clientData: { ...stored.clientData, small: 2 } })
    expect(changed.event.integrity).toBe(eventIntegrity(changed.event as never, 'sha256'))
    const found = await api(`events?clientData=${encodeURIComponent(JSON.stringify([{ path: 'small', eq: 2 }]))}`)
    expect((found.body as { events: EventResult[] }).events.map(({ id }) => id)).toContain(stored.id)
    const trashed = (await api(`events/${stored.id}`, undefined, 'DELETE')).body as { event: EventResult }
    expect(trashed.event.integrity).toBe(eventIntegrity(trashed.event as never, 'sha256'))
    expect((await api(`events/${stored.id}`, undefined, 'DELETE')).body).toMatchObject({ eventDeletion: { id: stored.id } })
  })

  it('is processed in the order of a batch', async () => {
    const id = `c${String(contents.findIndex((one) => one[1] === content)).padStart(24, '0')}`
    const answer = await api('', [
      { method: 'events.create', params: { id, streamIds: ['s'], type: 'test/free', content } },
      { method: 'events.update', params: { id, update: { content, description: 'second' } } },
      { method: 'events.update', params: { id, update: { description: 'third' } } },
      { method: 'events.getOne', params: { id } },
    ])
    const { results } = answer.body as { results: { event?: EventResult }[] }
    expect(results.map((result) => Object.keys(result))).toEqual([['event'], ['event'], ['event'], ['event']])
    expect(results[3]?.event).toMatchObject({ content: JSON.parse(JSON.stringify(content)), description: 'third' })
    expect(results[3]?.event?.integrity).toBe(eventIntegrity(results[3]?.event as never, 'sha256'))
  })
})

describe('updates of one batch', () => {
  it('apply in order, also when one waits for the worker thread', async () => {
    const id = `c${'9'.repeat(24)}`
    const content = Array.from({ length: COUNT }, (_, i) => `item ${i}`)
    expect((await api('events', { id, streamIds: ['s'], type: 'test/free', content })).status).toBe(201)
    const answer = await api('', [
      { method: 'events.update', params: { id, update: { description: 'first' } } },
      { method: 'events.update', params: { id, update: { description: 'second', content: 1 } } },
      { method: 'events.getOne', params: { id } },
    ])
    expect((answer.body as { results: unknown[] }).results[2]).toMatchObject({ event: { description: 'second', content: 1 } })
  })
})

describe('large content', () => {
  it('of a known type must match its schema', async () => {
    const items = Array.from({ length: COUNT }, (_, i) => `item ${i}`)
    const refused = await api('events', { streamIds: ['s'], type: 'mass/kg', content: items })
    expect(refused).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    const tooLong = await api('events', { streamIds: ['s'], type: 'note/txt', content: 'x'.repeat(4_194_305) })
    expect(tooLong).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    const fitting = await api('events', { streamIds: ['s'], type: 'note/txt', content: 'x'.repeat(4_194_304) })
    expect(fitting.status).toBe(201)
  })

  it('is refused with malformed JSON, too deep nesting, infinite numbers or too many parameters', async () => {
    const filling = JSON.stringify('x'.repeat(200_000))
    const send = (body: string): ReturnType<typeof request> => api('events', body, 'POST')
    expect(await send(`{"streamIds":["s"],"type":"test/free","content":[${filling},]}`)).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
    expect(await send(`{"content":[${filling},${'['.repeat(100)}${']'.repeat(100)}]}`)).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
    expect(await send(`{"content":[${filling},1e999]}`)).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`unknown${i}`, i]))
    expect(await api('events', { streamIds: ['s'], type: 'test/free', content: 1, ...many })).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('of an account field or a message is validated like any other', async () => {
    const content = { text: 'x'.repeat(200_000) }
    expect(await api('events', { streamIds: [':_cmc:inbox'], type: 'consent/accept-cmc', content })).toMatchObject({ status: expect.any(Number) as number })
    expect(await api('events', { streamIds: [':system:email'], type: 'email/string', content })).toMatchObject({ status: 400 })
  })
})

describe('a large profile value', () => {
  it('is stored unchanged', async () => {
    const settings = { list: Array.from({ length: COUNT }, (_, i) => i), __proto__: null }
    expect(await api('profile/private', { settings, small: 1 }, 'PUT')).toMatchObject({ status: 200, body: { profile: { settings } } })
    expect((await api('profile/private')).body).toMatchObject({ profile: { settings, small: 1 } })
  })
})
