import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fill, namesIn } from '../../../support/people/fillAccount.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'

/** Tree and events of the table in docs/interface/events.md#streams-queries; the letters of an event's name are its streams. */
const tree = ['A', 'B<A', 'C<A', 'D', 'E<D', 'F<D', 'T!']
const names = ['ad', 'be', 'fc', 'a', 'b', 'c', 'd', 'e', 'f', 't']
const without = (...excluded: string[]): string[] => names.filter((name) => !excluded.includes(name))

/** Queries with the names of the events found, or the id of the failure. */
const queries: [query: unknown, found: string[] | string][] = [
  [['A'], ['ad', 'be', 'fc', 'a', 'b', 'c']],
  ['A', ['ad', 'be', 'fc', 'a', 'b', 'c']],
  [['A!'], ['ad', 'a']],
  [['A', 'D'], without('t')],
  [undefined, without('t')],
  ['*', without('t')],
  [[], []],
  [{ any: ['*'], not: ['D'] }, ['a', 'b', 'c']],
  [{ any: ['*'], not: ['B', 'E'] }, ['ad', 'fc', 'a', 'c', 'd', 'f']],
  [{ any: ['A'], all: ['E'] }, ['be']],
  [{ any: ['A'], all: ['E', 'B'] }, ['be']],
  [{ any: ['A'], all: ['E', 'F'] }, []],
  [{ any: ['A'], all: ['Z'] }, []],
  [{ any: ['A'], not: ['B'] }, ['ad', 'fc', 'a', 'c']],
  [{ any: ['A'], not: ['D'] }, ['a', 'b', 'c']],
  [{ any: ['A'], not: ['D!'] }, ['be', 'fc', 'a', 'b', 'c']],
  [{ any: ['A'], not: ['Z'] }, ['ad', 'be', 'fc', 'a', 'b', 'c']],
  [[{ any: ['B'] }, { any: ['D'], not: ['E'] }], ['be', 'b', 'ad', 'fc', 'd', 'f']],
  [[{ any: ['A'] }, { any: ['B'] }], ['ad', 'be', 'fc', 'a', 'b', 'c']],
  [['T'], []],
  [{ all: ['A', 'Z'] }, 'invalid-request-structure'],
  [{ any: [] }, 'invalid-request-structure'],
  [{ any: ['A', 'Z', true] }, 'invalid-request-structure'],
  [[null, { any: ['A'] }], 'invalid-request-structure'],
  [{ any: true }, 'invalid-request-structure'],
  [{ any: '*', not: 'B' }, 'invalid-request-structure'],
  [{ any: ['A'], zz: ['A'] }, 'invalid-request-structure'],
  [['A', { any: ['B'] }], 'invalid-request-structure'],
  [{ any: ['*'], not: ['A', ['B']] }, 'invalid-request-structure'],
  [{ any: ['*', 'B'] }, 'invalid-request-structure'],
  [{ any: ['*'], all: ['D'] }, 'invalid-request-structure'],
  [{ any: ['A'], not: ['*'] }, 'invalid-request-structure'],
  [{ any: ['#*'] }, 'invalid-request-structure'],
  [{ any: ['A', ':_system:language'] }, 'invalid-request-structure'],
  [['A"'], 'invalid-request-structure'],
  ['[A', 'invalid-request-structure'],
  ['{"any":', 'invalid-request-structure'],
  ['Z', 'unknown-referenced-resource'],
  ['{any}', 'invalid-request-structure'],
  [{ any: ['A', 'Z', 'B'] }, 'unknown-referenced-resource'],
]

describe('events.get, by streams', () => {
  let node: TestNode
  let s: Stage
  let reader: string
  beforeAll(async () => {
    node = await startTestNode()
    s = await newStage(node)
    const events = names.map(
      (name, time) => [name, { time, streamIds: [...name].map((letter) => letter.toUpperCase()) }],
    )
    // The event is created before its stream is trashed.
    await fill(s, tree.map((id) => id.replace('!', '')), Object.fromEntries(events))
    await s.arrange('streams.delete', { id: 'T' })
    reader = await s.app([{ streamId: '*', level: 'read' }])
  })
  afterAll(() => node.stop())

  async function expectFound(transport: Transport, token: string, streams: unknown, found: string[] | string): Promise<void> {
    const params = streams === undefined ? { limit: 50 } : { streams, limit: 50 }
    const { status, body } = await callThrough(transport, s, token, 'events.get', params)
    if (typeof found === 'string') expect({ status, body }).toMatchObject({ status: 400, body: { error: { id: found } } })
    else expect(namesIn(body).sort()).toEqual([...found].sort())
  }

  describe.each(queries)('%j', (query, found) => {
    // A query string can express an empty list only as JSON.
    const isEmpty = Array.isArray(query) && query.length === 0
    it('as a value over HTTP and in a batch', async () => {
      if (!isEmpty) await expectFound('http', reader, query, found)
      await expectFound('batch', reader, query, found)
      await expectFound('batch', s.owner, query, found)
    })

    it('as JSON text', async () => {
      if (query === undefined || typeof query === 'string') return
      await expectFound('http', reader, JSON.stringify(query), found)
      await expectFound('batch', reader, JSON.stringify(query), found)
      await expectFound('http', s.owner, JSON.stringify(query), found)
    })
  })

  it('refuses an object in bracket notation', async () => {
    for (const query of ['streams[any][]=A', 'streams[any]=A', 'streams[x]=A', 'streams[any][0]=A', 'streams[0][]=A', 'streams[0]=A&streams[any]=B']) {
      const { status, body } = await request(`${node.url}${s.username}/events?${query}`, { token: reader })
      expect({ query, status, error: body['error'] }).toMatchObject({
        status: 400,
        error: { id: 'invalid-request-structure' },
      })
      expect(JSON.stringify(body['error'])).toContain('should be an array of streamIds or JSON logical query')
    }
  })

  it('accepts lists of queries in the bracket notation of qs', async () => {
    for (const query of ['streams[0][any][0]=B&streams[1][any][0]=E', 'streams[0][any][]=B&streams[0][any][]=E&streams[0][not][0]=A']) {
      const { body } = await request(`${node.url}${s.username}/events?${query}`, { token: reader })
      expect(namesIn(body).sort()).toEqual(['b', 'be', 'e'])
    }
    const { status, body } = await request(`${node.url}${s.username}/events?streams[0][any][0]=A&streams[0][some][0]=B`, { token: reader })
    expect({ status, error: body['error'] }).toMatchObject({ status: 400, error: { id: 'invalid-request-structure' } })
  })

  it('accepts repeated keys, empty brackets and indexes', async () => {
    for (const query of [
      'streams=B&streams=E',
      'streams[]=B&streams[]=E',
      'streams%5B%5D=B&streams[]=E',
      'streams[0]=B&streams[1]=E',
      'streams%5B0%5D=B&streams%5B1%5D=E',
      'streams[999]=B&streams[3]=E',
    ]) {
      const { body } = await request(`${node.url}${s.username}/events?${query}`, { token: reader })
      expect(namesIn(body).sort()).toEqual(['b', 'be', 'e'])
    }
    const one = await request(`${node.url}${s.username}/events?streams[]=B`, { token: reader })
    expect(namesIn(one.body).sort()).toEqual(['b', 'be'])
  })

  it('accepts streams of several stores in a list of ids', async () => {
    const { body } = await callThrough('http', s, s.owner, 'events.get', { streams: ['B', ':_system:language'] })
    expect((body['events'] as { streamIds: string[] }[]).map(({ streamIds }) => streamIds[0]).sort()).toEqual([
      ':_system:language',
      'B',
      'B',
    ])
  })

  it('finds events of trashed streams with state all', async () => {
    const { body } = await callThrough('http', s, reader, 'events.get', { streams: ['T'], state: 'all' })
    expect(namesIn(body)).toEqual(['t'])
    const all = await callThrough('http', s, reader, 'events.get', { state: 'all', limit: 50 })
    expect(namesIn(all.body).sort()).toEqual([...names].sort())
  })
})
