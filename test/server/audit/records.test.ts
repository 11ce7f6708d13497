/** Contents of audit records: docs/interface/audit.md#records, docs/interface/audit.md#calls. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventIntegrity, eventRecordKey } from '../../../src/store/model/integrity.js'
import type { Event } from '../../../src/store/model/event.js'
import { grantAccess } from '../../support/people/access.js'
import { actionsOf, contentOf, recordsOf, type AuditEvent } from '../../support/people/audit.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../support/http/methodTable.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

type Json = Record<string, unknown>
const note = { streamIds: ['home'], type: 'note/txt', content: 'x' }

/** Creates an account with a stream `home`, and an app that manages it. */
async function setUp(): Promise<Stage & { app: never; token: string; access: string; own: string }> {
  const stage = await newStage(node)
  await stage.arrange('streams.create', { id: 'home', name: 'home' })
  const { token, id } = await grantAccess(node, stage.username, [{ streamId: 'home', level: 'manage' }])
  return { ...stage, app: undefined as never, token, access: id, own: `:_audit:access-${id}` }
}

/** Returns the only record of an access. */
async function onlyRecord(s: Stage, stream: string): Promise<AuditEvent> {
  const records = await recordsOf(s, [stream])
  expect(records).toHaveLength(1)
  return records[0] as AuditEvent
}

interface Row {
  it: string
  method: string
  params: Json | ((s: Stage) => Promise<Json>)
  /** The content of the record beside source, action and query. */
  content: Json
  type?: string
}

const anEvent = async (s: Stage): Promise<string> => {
  const { event } = await s.arrange('events.create', note)
  return (event as { id: string }).id
}

const error = (id: string): Pick<Row, 'content' | 'type'> => ({
  content: { id, message: expect.any(String) as string },
  type: 'log/user-api-error',
})

const rows: Row[] = [
  { it: 'a listing', method: 'streams.get', params: {}, content: {} },
  {
    it: 'a query, with its number of results and its streams',
    method: 'events.get',
    params: async (s) => ({ streams: (await anEvent(s)) && 'home' }),
    content: { recordCount: 1, scopedStreamIds: ['home'] },
  },
  { it: 'a query without results', method: 'events.get', params: {}, content: { recordCount: 0, scopedStreamIds: ['home'] } },
  {
    it: 'a query with a time range, whose answer is not cached',
    method: 'events.get',
    params: async (s) => ({ toTime: 9e9, fromTime: (await anEvent(s)).length }),
    content: { recordCount: 1, scopedStreamIds: ['home'] },
  },
  { it: 'the read of one event', method: 'events.getOne', params: async (s) => ({ id: await anEvent(s) }), content: { recordCount: 1 } },
  {
    it: 'a creation, with the integrity of the event',
    method: 'events.create',
    params: note,
    content: { record: { key: expect.stringMatching(/^EVENT:0:/) as string, integrity: expect.stringMatching(/^EVENT:0:sha256-/) as string } },
  },
  {
    it: 'an update, with the integrity of the event',
    method: 'events.update',
    params: async (s) => ({ id: await anEvent(s), update: { content: 'y' } }),
    content: { record: { key: expect.stringMatching(/^EVENT:0:/) as string, integrity: expect.stringMatching(/^EVENT:0:sha256-/) as string } },
  },
  { it: 'a deletion', method: 'events.delete', params: async (s) => ({ id: await anEvent(s) }), content: {} },
  { it: 'the creation of a stream', method: 'streams.create', params: { id: 'room', name: 'room', parentId: 'home' }, content: {} },
  { it: 'the update of a stream', method: 'streams.update', params: { id: 'home', update: { name: 'House' } }, content: {} },
  { it: 'the deletion of a stream', method: 'streams.delete', params: { id: 'home' }, content: {} },
  { it: 'access-info', method: 'getAccessInfo', params: {}, content: {} },
  { it: 'refused parameters', method: 'events.get', params: { limit: -1 }, ...error('invalid-parameters-format') },
  { it: 'a refused structure', method: 'events.get', params: { streams: '["' }, ...error('invalid-request-structure') },
  { it: 'unknown streams', method: 'events.get', params: { streams: 'nowhere' }, ...error('unknown-referenced-resource') },
  { it: 'a forbidden call', method: 'streams.create', params: { id: 'x', name: 'x' }, ...error('forbidden') },
  { it: 'an unknown event', method: 'events.getOne', params: { id: 'cabcdefghijklmnopqrstuvwx' }, ...error('unknown-resource') },
  { it: 'a refused creation', method: 'events.create', params: { ...note, type: 'nonsense' }, ...error('invalid-parameters-format') },
  { it: 'a creation in an unknown stream', method: 'events.create', params: { ...note, streamIds: ['nowhere'] }, ...error('unknown-referenced-resource') },
]

describe('the record of a call', () => {
  const transports: Transport[] = ['http', 'form', 'batch']
  describe.each(transports)('over %s', (transport) => {
    it.each(rows)('describes $it', async ({ method, params, content, type = 'log/user-api' }) => {
      const s = await setUp()
      const sentParams = typeof params === 'function' ? await params(s) : params
      const { body } = await callThrough(transport, s, s.token, method, sentParams)
      const now = Date.now() / 1000
      const record = await onlyRecord(s, s.own)
      const isQuery = transport !== 'batch' && /\.get|Info|\.delete/.test(method)
      const sent = Object.entries(sentParams).filter(([name]) => name !== 'id')
      expect(record).toEqual({
        id: expect.stringMatching(/^:_audit:c[a-z0-9]{24}$/) as string,
        type,
        time: expect.any(Number) as number,
        streamIds: [s.own, `:_audit:action-${method}`],
        streamId: s.own,
        tags: [],
        content: {
          source: { name: 'http', ip: expect.stringMatching(/127\.0\.0\.1$/) as string },
          action: method,
          query: isQuery ? Object.fromEntries(sent.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value])) : {},
          ...content,
        },
        created: record.time,
        createdBy: 'system',
        modified: record.time,
        modifiedBy: 'system',
      })
      expect(Math.abs(record.time - now)).toBeLessThan(30)
      const written = body['event'] as Event | undefined
      if ('record' in content && written !== undefined) {
        expect(contentOf(record)['record']).toEqual({ key: eventRecordKey(written), integrity: eventIntegrity(written, 'sha256') })
      }
    })
  })

  it('counts the results of cached answers', async () => {
    const s = await setUp()
    for (let i = 0; i < 3; i++) await anEvent(s)
    for (let i = 0; i < 3; i++) await request(`${node.url}${s.username}/events?limit=2`, { token: s.token })
    const contents = (await recordsOf(s, [s.own])).map((record) => contentOf(record))
    expect(contents.map(({ recordCount, scopedStreamIds }) => ({ recordCount, scopedStreamIds }))).toEqual(
      Array(3).fill({ recordCount: 2, scopedStreamIds: ['home'] }),
    )
  })

  it('lists * as the stream of an unrestricted query with a personal token', async () => {
    const s = await setUp()
    await request(`${node.url}${s.username}/events`, { token: s.owner })
    const [record] = await recordsOf(s, [':_audit:action-events.get'])
    expect(contentOf(record)).toMatchObject({ scopedStreamIds: ['*'] })
  })

  it('lists at most 100 streams, and their total number', async () => {
    const s = await setUp()
    const calls = Array.from({ length: 120 }, (_, i) => ({
      method: 'streams.create',
      params: { id: `s${i}`, name: `s${i}`, parentId: 'home' },
    }))
    await request(`${node.url}${s.username}`, { token: s.owner, body: calls })
    await request(`${node.url}${s.username}/events`, { token: s.token })
    const content = contentOf(await onlyRecord(s, s.own))
    expect(content['scopedStreamIds']).toHaveLength(100)
    expect(content['scopedStreamCount']).toBe(121)
  })

  it('is written for each call of a batch, not for the batch', async () => {
    const s = await setUp()
    const calls = [
      { method: 'events.get', params: {} },
      { method: 'events.get', params: {} },
      { method: 'events.create', params: note },
      { method: 'nonsense', params: {} },
      { method: 'events.getOne', params: { id: 'x' } },
    ]
    await request(`${node.url}${s.username}`, { token: s.token, body: calls })
    expect(await actionsOf(s, [s.own])).toEqual(['events.get', 'events.get', 'events.create', 'events.getOne'])
  })

  it('is written for a batch that is refused as a whole', async () => {
    const s = await setUp()
    await request(`${node.url}${s.username}`, { token: s.token, body: [{ params: {} }] })
    const record = await onlyRecord(s, s.own)
    expect(record).toMatchObject({ type: 'log/user-api-error', content: { action: 'callBatch', id: 'invalid-parameters-format' } })
  })

  it('contains the failure of a call whose results exceed the limit of its batch', async () => {
    const small = await startTestNode({ 'limits.batch.maxTotalItems': 2 })
    try {
      const s = await newStage(small)
      await s.arrange('streams.create', { id: 'home', name: 'home' })
      for (let i = 0; i < 3; i++) await s.arrange('events.create', note)
      for (const params of [{ limit: 3 }, { streams: ['home'], fromTime: 0, toTime: 9e9 }]) {
        const { body } = await request(`${small.url}${s.username}`, { token: s.owner, body: [{ method: 'events.get', params }] })
        expect(body['results']).toMatchObject([{ error: { id: 'too-many-results' } }])
      }
      const records = await recordsOf(s, [':_audit:action-events.get'])
      expect(records.map(({ type, content }) => [type, (content as Json)['id']])).toEqual(
        Array(2).fill(['log/user-api-error', 'too-many-results']),
      )
    } finally {
      await small.stop()
    }
  })

  it('contains the text after the token in Authorization', async () => {
    const s = await setUp()
    await request(`${node.url}${s.username}/events`, { headers: { authorization: `${s.token} my "caller"` } })
    expect(contentOf(await onlyRecord(s, s.own))).toMatchObject({ callerId: 'my "caller"' })
  })

  it('contains the client address from a trusted proxy', async () => {
    const s = await setUp()
    await request(`${node.url}${s.username}/events`, { token: s.token, headers: { 'x-forwarded-for': '192.0.2.7' } })
    expect(contentOf(await onlyRecord(s, s.own))).toMatchObject({ source: { name: 'http', ip: '192.0.2.7' } })
  })

  it('contains unusual query parameters unchanged', async () => {
    const s = await setUp()
    const odd = '?streams[]=home&limit=5&5=a&1=b&__proto__=p&q=%22%5C%00%F0%9F%98%80%E2%80%A8"'
    await request(`${node.url}${s.username}/events${odd}`, { token: s.token })
    const { query } = contentOf(await onlyRecord(s, s.own)) as { query: Json }
    expect(Object.entries(query)).toEqual(
      expect.arrayContaining([
        ['streams', ['home']],
        ['limit', '5'],
        ['5', 'a'],
        ['1', 'b'],
        ['__proto__', 'p'],
        ['q', '"\\\u0000😀\u2028"'],
      ]),
    )
  })
})

describe('calls without a stored access', () => {
  const tried = async (s: Stage, path: string, options: Parameters<typeof request>[1]): Promise<void> =>
    void (await request(`${node.url}${s.username}${path}`, options))

  it('are recorded as valid-password when they log in', async () => {
    const s = await setUp()
    const login = (password: string): Promise<void> =>
      tried(s, '/auth/login', {
        body: { username: s.username, password, appId: 'test-app' },
        headers: { origin: 'http://localhost:1' },
      })
    await login('correct horse')
    await login('wrong')
    const record = await onlyRecord(s, ':_audit:access-valid-password')
    expect(record).toMatchObject({ type: 'log/user-api', content: { action: 'auth.login' } })
    expect(await actionsOf(s, [':_audit:action-auth.login'])).toEqual(['auth.login'])
  })

  it('are recorded as invalid with an unknown token, or without any', async () => {
    const s = await setUp()
    await tried(s, '/streams', { token: 'cunknownunknownunknown' })
    await tried(s, '', { token: 'cunknownunknownunknown', body: [{ method: 'events.get', params: {} }] })
    await tried(s, '/events', {})
    const records = await recordsOf(s, [':_audit:access-invalid'])
    expect(records.map(({ type, content }) => [type, (content as Json)['action'], (content as Json)['id']])).toEqual([
      ['log/user-api-error', 'streams.get', 'invalid-access-token'],
      ['log/user-api-error', 'callBatch', 'invalid-access-token'],
      ['log/user-api-error', 'events.get', 'invalid-access-token'],
    ])
  })

  it('are recorded under an access that has expired', async () => {
    const s = await setUp()
    const { token, id } = await grantAccess(node, s.username, [{ streamId: '*', level: 'read' }], { expires: 1 })
    await tried(s, '/events', { token })
    expect(await onlyRecord(s, `:_audit:access-${id}`)).toMatchObject({ content: { action: 'events.get', id: 'forbidden' } })
  })

  it('are not recorded for unknown paths, unknown accounts, OPTIONS or malformed bodies', async () => {
    const s = await setUp()
    const before = (await recordsOf(s, [':_audit:'])).length
    await tried(s, '', {})
    await tried(s, '/service/info', {})
    await tried(s, '/nowhere', { token: s.token })
    await tried(s, '/events', { method: 'OPTIONS', token: s.token })
    await tried(s, '/events', { token: s.token, body: '{"type":' })
    await request(`${node.url}nobody-here/events`, { token: s.token })
    // Only the query of the line before is recorded.
    expect(await actionsOf(s, [':_audit:'])).toHaveLength(before + 1)
  })
})

it('uploads of files are recorded as updates of their event, downloads with their path', async () => {
  const s = await setUp()
  const id = await anEvent(s)
  const form = new FormData()
  form.append('file', new Blob(['x']), 'x.txt')
  const added = await fetch(`${node.url}${s.username}/events/${id}`, { method: 'POST', body: form, headers: { authorization: s.token } })
  const { event } = (await added.json()) as { event: Event & { attachments: { id: string }[] } }
  const fileId = event.attachments[0]?.id ?? ''
  expect((await fetch(`${node.url}${s.username}/events/${id}/${fileId}/x.txt`, { headers: { authorization: s.token } })).status).toBe(200)
  const records = await recordsOf(s, [s.own])
  expect(records.map(({ streamIds, content }) => [streamIds[1], content['query'], content['record'] !== undefined])).toEqual([
    [':_audit:action-events.update', {}, true],
    [':_audit:action-events.getAttachment', { id, fileId, fileName: 'x.txt' }, false],
  ])
  const { body } = await request(`${node.url}${s.username}/access-info`, { token: s.token })
  expect(body['calls']).toMatchObject({ 'events:update': 1 })
})
