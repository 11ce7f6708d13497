/** Calls of series over HTTP: authentication, checks before points are parsed, audit records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentOf, recordsOf } from '../../../support/people/audit.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { add, newHolder, pointsOf, read, addPoints, values } from './support.js'

let node: TestNode
let stage: Stage
let id: string
let root: string

beforeAll(async () => {
  node = await startTestNode()
  stage = await newStage(node)
  id = await newHolder(stage)
  await addPoints(stage, id, values([1, 1]))
  root = `${node.url}${stage.username}`
})
afterAll(() => node.stop())

const errorOf = ({ status, body }: Answer): unknown => {
  expect(body['meta']).toMatchObject({ apiVersion: expect.any(String) as string })
  const { error } = body as { error?: { id: string } }
  return [status, error?.id]
}

const body = values([2, 2])
const entry = (eventId: unknown, data: unknown = body): object => ({ format: 'seriesBatch', data: [{ eventId, data }] })

describe('a call of series', () => {
  it('without a token fails with missing-header: 401 for reads, 400 for writes', async () => {
    expect(errorOf(await request(`${root}/events/${id}/series`))).toEqual([401, 'missing-header'])
    expect(errorOf(await request(`${root}/events/${id}/series`, { body }))).toEqual([400, 'missing-header'])
    expect(errorOf(await request(`${root}/series/batch`, { body: entry(id) }))).toEqual([400, 'missing-header'])
    // The response is the same for an unknown event.
    expect(errorOf(await request(`${root}/events/none/series`))).toEqual([401, 'missing-header'])
  })

  it('with an unknown token is refused with 403', async () => {
    const token = 'unknown'
    expect(errorOf(await request(`${root}/events/${id}/series`, { token }))).toEqual([403, 'invalid-access-token'])
    expect(errorOf(await request(`${root}/events/${id}/series`, { token, body }))).toEqual([403, 'invalid-access-token'])
    expect(errorOf(await request(`${root}/series/batch`, { token, body: entry(id) }))).toEqual([403, 'invalid-access-token'])
  })

  it('accepts the token in the header, as Bearer, as Basic and in the query', async () => {
    const { owner } = stage
    const basic = Buffer.from(`${owner}:`).toString('base64')
    const url = `${root}/events/${id}/series`
    for (const authorization of [owner, `Bearer ${owner}`, `Basic ${basic}`]) {
      expect((await request(url, { headers: { authorization } })).status).toBe(200)
      expect((await request(url, { headers: { authorization }, body: values([1, 1]) })).status).toBe(200)
    }
    expect((await request(`${url}?auth=${owner}`)).status).toBe(200)
    expect((await request(`${url}?auth=${owner}`, { body: values([1, 1]) })).status).toBe(200)
  })

  it('for an unknown user or event fails with unknown-resource', async () => {
    const token = stage.owner
    expect(errorOf(await request(`${node.url}nobody-here/events/${id}/series`, { token }))).toEqual([404, 'unknown-resource'])
    expect(errorOf(await request(`${node.url}nobody-here/events/${id}/series`, { token, body }))).toEqual([404, 'unknown-resource'])
    const unknown = await read(stage, 'nothing')
    expect(errorOf(unknown)).toEqual([404, 'unknown-resource'])
    expect((unknown.body['error'] as { message: string }).message).toContain('Unknown event')
    expect(errorOf(await add(stage, 'nothing', body))).toEqual([404, 'unknown-resource'])
    expect(errorOf(await request(`${root}/series/batch`, { token, body: entry('nothing') }))).toEqual([404, 'unknown-resource'])
  })

  it('for an event without a series is refused', async () => {
    const { event } = await stage.arrange('events.create', { streamIds: ['s'], type: 'mass/kg', content: 1 })
    const plain = String((event as { id: string }).id)
    expect(errorOf(await add(stage, plain, body))).toEqual([400, 'invalid-operation'])
    expect(errorOf(await read(stage, plain))).toEqual([400, 'invalid-operation'])
    expect(errorOf(await add(stage, ':_system:language', body))).toEqual([400, 'invalid-operation'])
  })

  it('for a trashed event can read but not write', async () => {
    const trashed = await newHolder(stage)
    await addPoints(stage, trashed, values([1, 1]))
    await stage.arrange('events.delete', { id: trashed })
    const answer = await add(stage, trashed, body)
    expect(errorOf(answer)).toEqual([400, 'invalid-operation'])
    expect(answer.body['error']).toMatchObject({
      message: `The referenced event "${trashed}" is trashed.`,
      data: { trashedReference: 'eventId' },
    })
    expect(await pointsOf(stage, trashed)).toMatchObject({ points: [[1, 1]] })
  })

  it('for a deleted event fails with unknown-resource', async () => {
    const deleted = await newHolder(stage)
    await addPoints(stage, deleted, values([1, 1]))
    await stage.arrange('events.delete', { id: deleted })
    await stage.arrange('events.delete', { id: deleted })
    expect(errorOf(await read(stage, deleted))).toEqual([404, 'unknown-resource'])
    expect(errorOf(await add(stage, deleted, body))).toEqual([404, 'unknown-resource'])
  })

  it('is refused when its body is not JSON', async () => {
    const token = stage.owner
    const send = (type: string, text: string, path = `events/${id}/series`): Promise<Answer> =>
      request(`${root}/${path}`, { token, body: text, headers: { 'content-type': type } })
    const form = `_json=${encodeURIComponent(JSON.stringify(body))}`
    for (const path of [`events/${id}/series`, 'series/batch']) {
      expect(errorOf(await send('text/plain', JSON.stringify(body), path))).toEqual([400, 'invalid-request-structure'])
      expect(errorOf(await send('application/x-www-form-urlencoded', form, path))).toEqual([400, 'invalid-request-structure'])
      expect(errorOf(await send('application/json', '{"format":', path))).toEqual([400, 'invalid-request-structure'])
      expect(errorOf(await send('application/json', '', path))).toEqual([400, 'invalid-request-structure'])
      expect(errorOf(await send('application/json', '['.repeat(1000), path))).toEqual([400, 'invalid-request-structure'])
    }
    const parts = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n{}\r\n--x--\r\n'
    expect(errorOf(await send('multipart/form-data; boundary=x', parts))).toEqual([400, 'invalid-request-structure'])
  })

  it('has the response headers for pages of other origins', async () => {
    const { headers } = await request(`${root}/events/${id}/series`, {
      token: stage.owner,
      body: values([1, 1]),
      headers: { origin: 'https://app.example' },
    })
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(headers.get('api-version')).not.toBeNull()
  })

  it.each(['series.get', 'series.add', 'series.batch'])('is not available in a batch: %s', async (method) => {
    const { body: answer } = await callThrough('batch', stage, stage.owner, method, { id, data: entry(id) })
    expect(answer).toMatchObject({ error: { id: 'invalid-method' } })
  })

  it('is recorded in the audit with the source of series', async () => {
    const one = await newStage(node)
    const holder = await newHolder(one)
    await addPoints(one, holder, values([1, 1]))
    await add(one, holder, values([-1, 1]))
    await request(`${node.url}${one.username}/series/batch`, { token: one.owner, body: entry(holder) })
    await read(one, holder, '?fromDeltaTime=0')
    await request(`${node.url}${one.username}/events/${holder}/series`, { token: 'unknown', body })
    const records = await recordsOf(one, [':_audit:'])
    const ofSeries = records.filter(({ content }) => String(content['action']).startsWith('series.'))
    expect(ofSeries.map(({ type, content }) => [type, content['action'], content['id']])).toEqual([
      ['log/user-api', 'series.add', undefined],
      ['log/user-api-error', 'series.add', 'invalid-request-structure'],
      ['log/user-api', 'series.batch', undefined],
      ['log/user-api', 'series.get', undefined],
      ['log/user-api-error', 'series.add', 'invalid-access-token'],
    ])
    for (const record of ofSeries) expect(contentOf(record)['source']).toMatchObject({ name: 'hf' })
    expect(contentOf(ofSeries[3])['query']).toEqual({ fromDeltaTime: '0' })
  })

  it('counts as a use of its access', async () => {
    const token = await stage.app([{ streamId: 's', level: 'contribute' }])
    await add(stage, id, values([1, 1]), token)
    await read(stage, id, '', token)
    const { body: info } = await request(`${root}/access-info`, { token })
    expect(info).toMatchObject({ calls: { 'series:add': 1, 'series:get': 1 } })
  })
})

describe('series.batch', () => {
  const batch = (data: unknown, token = stage.owner): Promise<Answer> => request(`${root}/series/batch`, { token, body: data })
  const of = (...entries: [eventId: unknown, data: unknown][]): object => ({
    format: 'seriesBatch',
    data: entries.map(([eventId, data]) => ({ eventId, data })),
  })

  it('writes to several series, and to one several times in order', async () => {
    const [a, b] = [await newHolder(stage), await newHolder(stage, 'note/txt')]
    const { status, body: answer } = await batch(
      of([a, values([1, 1], [2, 2])], [b, values([0, 'x'])], [a, values([2, 9], [3, 3])]),
    )
    expect([status, answer]).toMatchObject([200, { status: 'ok', meta: {} }])
    expect((await pointsOf(stage, a)).points).toEqual([[1, 1], [2, 9], [3, 3]])
    expect((await pointsOf(stage, b)).points).toEqual([[0, 'x']])
  })

  it('accepts an empty list', async () => {
    expect(await batch({ format: 'seriesBatch', data: [] })).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  it('allows create-only', async () => {
    const holder = await newHolder(stage)
    const token = await stage.app([{ streamId: 's', level: 'create-only' }])
    expect((await batch(of([holder, values([1, 1])]), token)).status).toBe(200)
    expect((await pointsOf(stage, holder)).points).toEqual([[1, 1]])
  })

  it.each<[string, (holder: string) => unknown, object?]>([
    ['a list', () => []],
    ['no format', (holder) => ({ data: [{ eventId: holder, data: values() }] })],
    ['another format', (holder) => ({ format: 'flatJSON', data: [{ eventId: holder, data: values() }] })],
    ['no data', () => ({ format: 'seriesBatch' })],
    ['data that is not a list', () => ({ format: 'seriesBatch', data: {} })],
    ['an entry that is not an object', () => ({ format: 'seriesBatch', data: [7] }), { entry: 0 }],
    ['an entry of null', () => ({ format: 'seriesBatch', data: [null] }), { entry: 0 }],
    ['an event id that is not a string', (holder) => of([holder, values([1, 1])], [7, values()]), { entry: 1 }],
    ['an entry without points', (holder) => of([holder, values([1, 1])], [holder, undefined]), { entry: 1 }],
    ['points of another format', (holder) => of([holder, values([1, 1])], [holder, []]), { entry: 1 }],
    [
      'an invalid point',
      (holder) => of([holder, values([1, 1])], [holder, values([2, 2], [-1, 1])]),
      { entry: 1, point: 1, field: 'deltaTime' },
    ],
  ])('refuses %s, and writes nothing', async (_, bodyFor, data) => {
    const holder = await newHolder(stage)
    const answer = await batch(bodyFor(holder))
    expect(errorOf(answer)).toEqual([400, 'invalid-request-structure'])
    if (data !== undefined) expect(answer.body['error']).toMatchObject({ data })
    expect((await pointsOf(stage, holder)).points).toEqual([])
  })

  it('writes nothing when one event is unknown, trashed, without a series or not permitted', async () => {
    const holder = await newHolder(stage)
    const trashed = await newHolder(stage, 'mass/kg', { trashed: true })
    await stage.arrange('streams.create', { id: 'closed', name: 'closed' }).catch(() => undefined)
    const closed = await newHolder(stage, 'mass/kg', { streamIds: ['closed'] })
    const { event } = await stage.arrange('events.create', { streamIds: ['s'], type: 'note/txt', content: 'x' })
    const plain = (event as { id: string }).id
    const token = await stage.app([{ streamId: 's', level: 'contribute' }])
    const others: [unknown, unknown][] = [
      ['nothing', [404, 'unknown-resource']],
      [trashed, [400, 'invalid-operation']],
      [plain, [400, 'invalid-operation']],
      [closed, [403, 'forbidden']],
    ]
    for (const [other, gives] of others) {
      expect(errorOf(await batch(of([holder, values([1, 1])], [other, values([1, 1])]), token))).toEqual(gives)
    }
    expect((await pointsOf(stage, holder)).points).toEqual([])
  })
})
