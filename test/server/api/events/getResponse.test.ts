import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callAll, fill, namesIn } from '../../../support/people/fillAccount.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'

type Json = Record<string, unknown>

/** Sends a GET over a bare socket; returns the head and the body with its chunk framing. */
function raw(node: TestNode, path: string, token: string, more = ''): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(node.port, '127.0.0.1', () => {
      socket.write(`GET /${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${token}\r\nConnection: close\r\n${more}\r\n`)
    })
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => (text += chunk))
    socket.on('error', reject)
    socket.on('end', () => {
      const split = text.indexOf('\r\n\r\n')
      resolve({ head: text.slice(0, split), body: text.slice(split + 4) })
    })
  })
}

/** Decodes a chunked body; returns its text and its chunks. */
function unchunked(body: string): { text: string; chunks: string[] } {
  const chunks: string[] = []
  let rest = Buffer.from(body)
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.toString('latin1', 0, end), 16)
    if (!(size > 0)) return { text: chunks.join(''), chunks }
    chunks.push(rest.toString('utf8', end + 2, end + 2 + size))
    rest = rest.subarray(end + 4 + size)
  }
}

const meta = /,"meta":\{"apiVersion":"[^"]+","serverTime":[\d.]+,"serial":"[^"]*"\}\}$/

describe('the response of events.get', () => {
  let node: TestNode
  let s: Stage
  beforeAll(async () => {
    node = await startTestNode({ 'limits.batch.maxTotalItems': 300 })
    s = await newStage(node)
    const description = 'é'.repeat(200)
    const events = Array.from({ length: 900 }, (_, n) => [`e${n}`, { streamIds: ['heart'], time: n, description }])
    await fill(s, ['heart'], Object.fromEntries(events) as Record<string, Json>)
    const ids = Array.from({ length: 320 }, (_, n) => `c${'0'.repeat(20)}${1000 + n}`)
    await callAll(s, ids.flatMap((id) => [
      ['events.create', { id, streamIds: ['heart'], type: 'test/gone', trashed: true }],
      ['events.delete', { id }],
    ]))
  })
  afterAll(() => node.stop())

  const get = (query: string, more?: string): ReturnType<typeof raw> => raw(node, `${s.username}/events?${query}`, s.owner, more)

  it.each([
    ['small', 'limit=3'],
    ['small, with bounds', 'fromTime=1&toTime=5'],
    ['empty', 'fromTime=-9&toTime=-8'],
  ])('is compact JSON in chunks, meta last (%s)', async (_, query) => {
    for (let n = 0; n < 2; n++) {
      const { head, body } = await get(query)
      expect(head).toMatch(/^HTTP\/1\.1 200 /)
      expect(head).toMatch(/\r\ncontent-type: application\/json\r\n/i)
      expect(head).toMatch(/\r\ntransfer-encoding: chunked/i)
      expect(head).not.toMatch(/content-length/i)
      const { text } = unchunked(body)
      expect(text.startsWith('{"events":[')).toBe(true)
      expect(text).toMatch(meta)
      expect(text).not.toContain('eventDeletions')
      expect(Object.keys(JSON.parse(text) as Json)).toEqual(['events', 'meta'])
    }
  })

  it.each([
    ['small', 'modifiedSince=0&includeDeletions=true&limit=2'],
    ['with bounds', 'modifiedSince=0&includeDeletions=true&fromTime=0'],
    ['without any', 'modifiedSince=9000000000&includeDeletions=true'],
  ])('has eventDeletions after events (%s)', async (_, query) => {
    for (let n = 0; n < 2; n++) {
      const { head, body } = await get(query)
      expect(head).not.toMatch(/content-length/i)
      const { text } = unchunked(body)
      expect(text.indexOf('"events":[')).toBe(1)
      expect(text.indexOf('],"eventDeletions":[')).toBeGreaterThan(1)
      expect(text).toMatch(meta)
      expect(Object.keys(JSON.parse(text) as Json)).toEqual(['events', 'eventDeletions', 'meta'])
    }
  })

  // Earlier clients parse chunk by chunk: test/server/publishedClients/streamedAnswers.test.ts.
  it.each([
    ['small', 'modifiedSince=0&includeDeletions=true&limit=2'],
    ['small, read from the database', 'modifiedSince=0&includeDeletions=true&limit=2&fromTime=0'],
    ['large', 'modifiedSince=0&includeDeletions=true&fromTime=0'],
    ['large, with few deletions', 'modifiedSince=9000000000&includeDeletions=true&fromTime=0'],
    ['without any', 'modifiedSince=9000000000&includeDeletions=true'],
  ])('starts a chunk at the end of each of two lists (%s)', async (_, query) => {
    // Behind a proxy, the last chunk is separate.
    for (const more of ['', '', 'X-Forwarded-For: 192.0.2.7\r\n', 'Via: 1.1 proxy\r\n']) {
      const { text, chunks } = unchunked((await get(query, more)).body)
      expect(text).toMatch(meta)
      // Within an event, a chunk may start anywhere, also after its list of streams.
      const ends = chunks.filter((chunk) => chunk.startsWith('],"') && !chunk.startsWith('],"streamId"'))
      expect(ends.map((chunk) => chunk.slice(0, chunk.indexOf(':')))).toEqual(['],"eventDeletions"', '],"meta"'])
    }
  })

  it('is one chunk when it is small and has no deletions', async () => {
    expect(unchunked((await get('limit=3')).body).chunks).toHaveLength(1)
    expect(unchunked((await get('limit=3&fromTime=0')).body).chunks).toHaveLength(1)
  })

  it('has many chunks when it is large, with deletions', async () => {
    const { body } = await get('modifiedSince=0&includeDeletions=true&fromTime=0')
    const { text, chunks } = unchunked(body)
    expect(chunks.length).toBeGreaterThan(4)
    const { events, eventDeletions } = JSON.parse(text) as { events: Json[]; eventDeletions: { deleted: number }[] }
    expect(namesIn({ events })).toEqual(Array.from({ length: 900 }, (_, n) => `e${899 - n}`))
    expect(eventDeletions).toHaveLength(320)
    const times = eventDeletions.map(({ deleted }) => deleted)
    expect(times).toEqual([...times].sort((a, b) => b - a))
  })

  it('lists deletions in ascending order with sortAscending', async () => {
    const body = JSON.parse(
      unchunked((await get('modifiedSince=0&includeDeletions=true&sortAscending=true&skip=5&limit=10')).body).text,
    ) as Json
    const all = JSON.parse(unchunked((await get('modifiedSince=0&includeDeletions=TRUE&fromTime=0')).body).text) as Json
    const times = (list: unknown): number[] => (list as { deleted: number }[]).map(({ deleted }) => deleted)
    expect(times(body['eventDeletions'])).toEqual(times(all['eventDeletions']).reverse().slice(5, 15))
  })

  it.each([
    ['events', { limit: 301 }, { limit: 300 }],
    ['events within bounds', { fromTime: 0 }, { fromTime: 0, toTime: 299 }],
    [
      'deletions',
      { fromTime: -9, toTime: -8, modifiedSince: 0, includeDeletions: true },
      { fromTime: -9, toTime: -8, modifiedSince: 0, includeDeletions: true, limit: 300 },
    ],
  ])('is an error in a batch with too many %s', async (_, refusedParams, allowedParams) => {
    const refused = await callThrough('batch', s, s.owner, 'events.get', refusedParams)
    expect(refused).toMatchObject({ status: 413, body: { error: { id: 'too-many-results', data: { limit: 300 } } } })
    expect((await callThrough('batch', s, s.owner, 'events.get', allowedParams)).status).toBe(200)
    expect((await callThrough('http', s, s.owner, 'events.get', refusedParams)).status).toBe(200)
    expect((await callThrough('batch', s, s.owner, 'events.get', refusedParams)).status).toBe(413)
  })

  it('requires a token, and accepts one in the query', async () => {
    const url = `${node.url}${s.username}/events`
    expect((await request(`${url}?limit=1&auth=${s.owner}`)).status).toBe(200)
    expect(await request(`${url}?limit=1`)).toMatchObject({
      status: 401,
      body: { error: { id: 'invalid-access-token' } },
    })
    expect((await request(`${url}?limit=1&auth=nonsense`)).status).toBe(403)
  })

  it('includes a change committed just before', async () => {
    const other = await newStage(node)
    await fill(other, ['heart'], {})
    const query = { streams: ['heart'], limit: 5, modifiedSince: 0, includeDeletions: true }
    const id = 'c' + '2'.repeat(24)
    const answer = async (): Promise<[string[], number]> => {
      const { body } = await callThrough('http', other, other.owner, 'events.get', query)
      const again = await callThrough('http', other, other.owner, 'events.get', query)
      expect(again.body['events']).toEqual(body['events'])
      return [namesIn(body), (body['eventDeletions'] as Json[]).length]
    }
    expect(await answer()).toEqual([[], 0])
    await other.arrange('events.create', { id, streamIds: ['heart'], type: 'test/name', content: 'a' })
    expect(await answer()).toEqual([['a'], 0])
    await other.arrange('events.update', { id, update: { content: 'b' } })
    expect(await answer()).toEqual([['b'], 0])
    await other.arrange('events.delete', { id })
    expect(await answer()).toEqual([[], 0])
    await other.arrange('events.delete', { id })
    expect(await answer()).toEqual([[], 1])
  })

  it('includes a change after the account was evicted from memory', async () => {
    const other = await newStage(node)
    await fill(other, ['heart'], {})
    const { store, accounts } = node.node
    const prefix = (await accounts.find(other.username))?.account.prefix ?? ''
    const evict = async (): Promise<void> => {
      // Only an account without writes in progress leaves memory.
      await store.settled()
      const create = (): Promise<void> => store.createAccount((t, account) => t.put(`${account.prefix}/u`, '{}'))
      await Promise.all(Array.from({ length: 1100 }, create))
      expect(store.loaded(prefix)).toBeUndefined()
    }
    const query = { streams: ['heart'] }
    await evict()
    expect(namesIn((await callThrough('http', other, other.owner, 'events.get', query)).body)).toEqual([])
    await other.arrange('events.create', { streamIds: ['heart'], type: 'test/name', content: 'a' })
    await evict()
    expect(namesIn((await callThrough('http', other, other.owner, 'events.get', query)).body)).toEqual(['a'])
  })

  it('does not depend on previous callers', async () => {
    const reader = await s.app([{ streamId: 'heart', level: 'create-only' }])
    const owner = await callThrough('http', s, s.owner, 'events.get', { limit: 4 })
    const app = await callThrough('http', s, reader, 'events.get', { limit: 4 })
    expect(owner.body['events']).toHaveLength(4)
    expect(app.body['events']).toHaveLength(0)
  })
})
