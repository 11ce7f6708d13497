/** The batch call: docs/interface/conventions.md#batch. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methods } from '../../../src/server/api/methods.js'
import { grantAccess } from '../../support/people/access.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { ssoOn } from '../../support/people/sso.js'

type Entry = Record<string, unknown> & { error?: { id: string; message: string; data?: unknown } }

describe('a batch', () => {
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode({ 'limits.batch.maxTotalItems': 30, 'limits.batch.maxCalls': 50, ...ssoOn })
    token = await registerUser(node, 'alice')
    await request(`${node.url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
  })
  afterAll(() => node.stop())

  const send = (body: unknown, by = token, path = 'alice'): Promise<Answer> =>
    request(`${node.url}${path}`, { method: 'POST', token: by, body })
  async function results(calls: unknown[], by = token): Promise<Entry[]> {
    const { status, body } = await send(calls, by)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body['results'] as Entry[]
  }
  const note = (content: string, more: object = {}): object => ({
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content, ...more },
  })

  it('returns one result per call, in order, without meta', async () => {
    const { status, body } = await send([
      { method: 'streams.create', params: { id: 'one', name: 'One' } },
      { method: 'streams.create', params: { id: 'one', name: 'Other' } },
      note('hello'),
      { method: 'streams.get', params: { id: 'one' } },
      { method: 'events.get', params: { streams: ['diary'], limit: 1 } },
      { method: 'getAccessInfo', params: {} },
    ])
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['results', 'meta'])
    expect(body['meta']).toMatchObject({ serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string })
    const entries = body['results'] as Entry[]
    expect(entries).toMatchObject([
      { stream: { id: 'one' } },
      { error: { id: 'item-already-exists', data: { id: 'one' } } },
      { event: { content: 'hello' } },
      { streams: [{ id: 'one' }] },
      { events: [{ content: 'hello' }] },
      { user: { username: 'alice' } },
    ])
    for (const entry of entries) expect(entry).not.toHaveProperty('meta')
    expect(entries[1]).toEqual({ error: { id: 'item-already-exists', message: expect.any(String) as string, data: { id: 'one' } } })
  })

  it('makes the changes of each call visible to the next ones', async () => {
    const entries = await results([
      { method: 'streams.create', params: { id: 'shelf', name: 'Shelf' } },
      { method: 'streams.create', params: { id: 'book', name: 'Book', parentId: 'shelf' } },
      { method: 'events.create', params: { streamIds: ['book'], type: 'note/txt', content: 'page', id: 'cabcdefghijklmnopqrstuvwx' } },
      { method: 'events.update', params: { id: 'cabcdefghijklmnopqrstuvwx', update: { content: 'last page' } } },
      { method: 'events.get', params: { streams: ['book'] } },
      { method: 'streams.delete', params: { id: 'book' } },
      { method: 'streams.get', params: { id: 'shelf' } },
      { method: 'streams.delete', params: { id: 'book', mergeEventsWithParent: true } },
      { method: 'events.get', params: { streams: ['shelf'] } },
      { method: 'streams.create', params: { id: 'book', name: 'Book', parentId: 'shelf' } },
    ])
    expect(entries.filter((entry) => entry.error !== undefined)).toEqual([])
    expect(entries).toMatchObject([
      {},
      {},
      {},
      {},
      { events: [{ content: 'last page' }] },
      { stream: { trashed: true } },
      { streams: [{ children: [] }] },
      { updatedEvents: [{ id: 'cabcdefghijklmnopqrstuvwx', action: 'mergedToParent' }], streamDeletion: { id: 'book' } },
      { events: [{ streamIds: ['shelf'] }] },
      { stream: { id: 'book' } },
    ])
  })

  it('returns no results for no calls', async () => expect(await results([])).toEqual([]))

  it.each([
    ['an object', { method: 'streams.get', params: {} }],
    ['a text', '"streams.get"'],
    ['null', 'null'],
    ['a list of something else', ['streams.get']],
    ['a list with null', [null]],
    ['a call without method', [{ method: 'streams.get', params: {} }, { params: {} }]],
    ['a call without params', [{ method: 'streams.get' }]],
    ['a call whose method is a number', [{ method: 5, params: {} }]],
    ['a call whose params are a text', [{ method: 'streams.get', params: 'x' }]],
    ['a call whose params are null', [{ method: 'streams.get', params: null }]],
    ['more calls than allowed', Array.from({ length: 51 }, () => ({ method: 'streams.get', params: {} }))],
  ])('is refused as a whole when it is %s', async (_, body) => {
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: { id: 'invalid-parameters-format', data: [{}] }, meta: {} })
  })

  it('is refused as a whole when it is not JSON, or empty', async () => {
    expect(await send('[{')).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
    const nothing = await request(`${node.url}alice`, { method: 'POST', token })
    expect(nothing).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('has no effect when it is refused as a whole', async () => {
    await send([note('never'), { method: 'streams.get' }])
    const [list] = await results([{ method: 'events.get', params: { streams: ['diary'] } }])
    expect(JSON.stringify(list)).not.toContain('never')
  })

  it('accepts other keys beside method and params', async () => {
    expect(await results([{ method: 'streams.get', params: { id: 'diary' }, id: 7, comment: 'x' }])).toMatchObject([{ streams: [{}] }])
  })

  it.each(['no.such', '', 'constructor', '__proto__', 'toString', 'streams', 'Streams.get'])(
    'answers invalid-method for %j and continues',
    async (method) => {
      const entries = await results([{ method, params: {} }, { method: 'streams.get', params: { id: 'diary' } }])
      expect(entries).toMatchObject([{ error: { id: 'invalid-method' } }, { streams: [{}] }])
    },
  )

  it('refuses methods that require credentials other than a token, before checking parameters', async () => {
    const credentials = methods.filter((method) => method.notInBatch === true)
    expect(credentials.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'auth.login',
        'auth.register',
        'auth.delete',
        'account.requestPasswordReset',
        'account.resetPassword',
        'account.verifyEmail',
        'sharedSecrets.retrieve',
        'mfa.recover',
        'callBatch',
      ]),
    )
    const entries = await results(credentials.slice(0, 50).map(({ id }) => ({ method: id, params: { nonsense: true } })))
    for (const entry of entries) expect(entry.error?.id).toBe('invalid-method')
  })

  it('refuses a nested batch and continues', async () => {
    const entries = await results([{ method: 'callBatch', params: [] }, { method: 'streams.get', params: { id: 'diary' } }])
    expect(entries).toMatchObject([{ error: { id: 'invalid-method' } }, { streams: [{}] }])
  })

  it('accepts methods without a token', async () => {
    const [info] = await results([{ method: 'service.info', params: {} }])
    expect(info).toMatchObject({ name: 'coffer', api: `${node.url}{username}/` })
  })

  it('accepts streams of events.get as a list, an object or JSON text', async () => {
    await results([note('for the queries')])
    const filters = ['diary', ['diary'], { any: ['diary'] }, [{ any: ['diary'] }], '{"any":["diary"]}', '["diary"]']
    const entries = await results(filters.map((streams) => ({ method: 'events.get', params: { streams, limit: 1 } })))
    for (const entry of entries) expect(entry).toMatchObject({ events: [{ content: 'for the queries' }] })
  })

  it('refuses descriptors of uploads', async () => {
    const files = [{ filename: 'x', path: '/etc/passwd' }]
    const entries = await results([note('smuggled', { files }), { method: 'events.update', params: { id: 'x', update: { files } } }])
    for (const entry of entries) expect(entry.error?.id).toBe('invalid-parameters-format')
  })

  it('refuses a result with more items than the limit of a batch', async () => {
    await results(Array.from({ length: 35 }, (_, i) => note(`many ${i}`)))
    const entries = await results([
      { method: 'events.get', params: { streams: ['diary'], limit: 31 } },
      { method: 'events.get', params: { streams: ['diary'], limit: 30 } },
    ])
    expect(entries[0]).toMatchObject({ error: { id: 'too-many-results', data: { limit: 30 } } })
    expect(entries[1]?.['events']).toHaveLength(30)
    // A call outside of a batch has no such limit.
    const { body } = await request(`${node.url}alice/events?streams=diary&limit=31`, { token })
    expect(body['events']).toHaveLength(31)
  })

  it('applies the permissions of an app', async () => {
    const app = await grantAccess(node, 'alice', [{ streamId: 'diary', level: 'manage' }])
    const entries = await results(
      [
        { method: 'streams.create', params: { id: 'page', name: 'Page', parentId: 'diary' } },
        { method: 'events.create', params: { streamIds: ['page'], type: 'note/txt', content: 'x' } },
        { method: 'streams.create', params: { name: 'Root' } },
      ],
      app.token,
    )
    expect(entries).toMatchObject([{ stream: { parentId: 'diary' } }, { event: {} }, { error: { id: 'forbidden' } }])
  })

  it('is counted as the calls that it contains, under their method names', async () => {
    const app = await grantAccess(node, 'alice', [{ streamId: 'diary', level: 'manage' }])
    await results([note('a'), note('b'), { method: 'streams.get', params: {} }, { method: 'no.such', params: {} }], app.token)
    const { body } = await request(`${node.url}alice/access-info`, { token: app.token })
    expect(body['calls']).toEqual({ 'events:create': 2, 'streams:get': 1, getAccessInfo: 1 })
    expect(body['lastUsed']).toBeGreaterThan(1e9)
  })

  it('records one change for each call that changes data', async () => {
    const loaded = await node.node.accounts.find('alice')
    const kinds: string[] = []
    const stop = node.node.store.follow((entries) => {
      for (const { account, kind } of entries) if (account === loaded?.account.prefix) kinds.push(kind)
    })
    await results([note('1'), { method: 'streams.get', params: {} }, note('2'), { method: 'streams.create', params: { name: '' } }])
    stop()
    expect(kinds.filter((kind) => kind === 'event')).toHaveLength(2)
    expect(kinds.filter((kind) => kind === 'stream')).toHaveLength(0)
  })

  it('is served at the root of an account, with or without a slash, only', async () => {
    expect((await send([], token, 'alice/')).status).toBe(200)
    expect((await send([], token, '')).status).toBe(404)
    expect((await send([], token, 'nobody')).status).toBe(404)
  })
})
