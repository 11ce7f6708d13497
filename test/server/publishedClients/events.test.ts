/** Events written in batches and read with all methods of unchanged releases of the published client `pryv` (clients.md). */
import type { Event } from 'pryv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { bodyOf, clientEventId, connect, createAccount, logIn, releases, serviceOf, type Client } from '../../support/http/pryvClient.js'

type Json = Record<string, unknown>

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

describe.each(releases)('$name', (release) => {
  const COUNT = 25
  const EVERYTHING = { fromTime: 0, toTime: 2000, limit: 10_000, streams: ['notes'] }
  let writer: Client
  let made: Json[]
  const percents: number[] = []
  const handled: unknown[] = []

  beforeAll(async () => {
    const username = release.isEarlier ? 'earlier' : 'current'
    await createAccount(serviceOf(node), username)
    writer = await logIn(serviceOf(node, release), username)
    writer.options.chunkSize = 10
    const create = (at: number): { method: string; params: unknown; handleResult: (result: Json) => void } => ({
      method: 'events.create',
      params: {
        id: clientEventId(),
        streamIds: ['notes'],
        time: 1000 + at,
        ...(at % 2 === 0 ? { type: 'note/txt', content: `"]}\\ ${at}` } : { type: 'mass/kg', content: at }),
      },
      handleResult: (result) => void handled.push((result['event'] as Event | undefined)?.id),
    })
    made = await writer.api(
      [
        { method: 'streams.create', params: { id: 'notes', name: 'Notes' } },
        ...Array.from({ length: COUNT }, (_, at) => create(at)),
      ],
      (percent) => void percents.push(percent),
    )
  })

  const events = (): Event[] => made.slice(1).map((result) => result['event'] as Event)
  const newestFirst = (): Event[] => [...events()].reverse()

  it('sends a batch in chunks, with ordered results and progress', () => {
    expect(made).toHaveLength(COUNT + 1)
    expect(made[0]).toMatchObject({ stream: { id: 'notes' } })
    expect(events().map(({ time }) => time)).toEqual(Array.from({ length: COUNT }, (_, at) => 1000 + at))
    expect(handled).toEqual(events().map(({ id }) => id))
    expect(percents).toEqual([38, 77, 100])
  })

  it('sends more than 1,000 calls in batches of 1,000, and awaits their result handlers', async () => {
    const fresh = connect(writer.apiEndpoint, release)
    const done: unknown[] = []
    const create = (at: number): { method: string; params: unknown; handleResult: (result: Json) => Promise<void> } => ({
      method: 'events.create',
      params: { streamIds: ['notes'], type: 'mass/kg', time: 50_000 + at, content: at },
      handleResult: async (result) => {
        await Promise.resolve()
        done.push((result['event'] as Event).content)
      },
    })
    const percents: number[] = []
    const counts: number[] = []
    const results = await fresh.api(Array.from({ length: 1500 }, (_, at) => create(at)), (percent, soFar) => {
      percents.push(percent)
      counts.push(soFar.length)
    })
    expect(results.map((result) => (result['event'] as Event).content)).toEqual(Array.from({ length: 1500 }, (_, at) => at))
    expect(done).toEqual(Array.from({ length: 1500 }, (_, at) => at))
    expect(percents).toEqual([67, 100])
    expect(counts).toEqual([1000, 1500])
    const read = await fresh.get('events', { fromTime: 50_000, toTime: 60_000, limit: 2000 })
    expect(read['events']).toHaveLength(1500)
  })

  // The client sends an empty batch for no calls, or if the number of calls is a multiple of the chunk size.
  it.each([[0, [NaN]], [10, [100, 100]]])('receives an answer to an empty batch (%i calls)', async (count, expected) => {
    const percents: number[] = []
    const calls = Array.from({ length: count }, () => ({ method: 'streams.get', params: {} }))
    expect(await writer.api(calls, (percent) => void percents.push(percent))).toHaveLength(count)
    expect(percents).toEqual(expected)
  })

  it('receives each failure of a batch at its position', async () => {
    const results = await writer.api([
      { method: 'events.create', params: { streamIds: ['nowhere'], type: 'note/txt' } },
      { method: 'streams.create', params: { id: 'notes', name: 'Notes' } },
      { method: 'events.get', params: { limit: 1, types: ['mass/kg'], streams: ['notes'] } },
      { method: 'events.update', params: { id: 'nothing', update: {} } },
      { method: 'no.such', params: {} },
    ])
    expect(results).toMatchObject([
      { error: { id: 'unknown-referenced-resource' } },
      { error: { id: 'item-already-exists' } },
      { events: [{ type: 'mass/kg' }] },
      { error: { id: 'unknown-resource' } },
      { error: { id: 'invalid-method' } },
    ])
  })

  it('reads its events with api, with get, and as a stream', async () => {
    const [byApi] = await writer.api([{ method: 'events.get', params: EVERYTHING }])
    expect(byApi?.['events']).toEqual(newestFirst())
    const byGet = await writer.get('events', EVERYTHING)
    expect(byGet['events']).toEqual(newestFirst())
    const streamed: Event[] = []
    const result = await writer.getEventsStreamed(EVERYTHING, (event) => void streamed.push(event))
    expect(streamed).toEqual(newestFirst())
    expect(result).toMatchObject({ eventsCount: COUNT, meta: { serial: expect.any(String) as string } })
  })

  it('filters with repeated keys, a JSON query, and the maximum time range', async () => {
    const kinds = await writer.get('events', { ...EVERYTHING, types: ['mass/kg', 'length/m'] })
    expect(kinds['events']).toEqual(newestFirst().filter(({ type }) => type === 'mass/kg'))
    const query = JSON.stringify({ any: ['notes'], not: ['drafts'] })
    expect((await writer.get('events', { ...EVERYTHING, streams: query }))['events']).toEqual(newestFirst())
    const all = await writer.get('events', {
      fromTime: -Number.MAX_VALUE,
      toTime: Number.MAX_VALUE,
      streams: JSON.stringify({ any: ['notes'] }),
      sortAscending: true,
      skip: 1,
      limit: 2,
    })
    expect(all['events']).toEqual(events().slice(1, 3))
  })

  it('updates and deletes events, and receives failures', async () => {
    const id = clientEventId()
    const [created, updated, trashed, deleted, gone] = await writer.api([
      { method: 'events.create', params: { id, streamId: 'notes', type: 'note/txt', time: 90_000, content: 'a' } },
      { method: 'events.update', params: { id, update: { content: 'b' } } },
      { method: 'events.delete', params: { id } },
      { method: 'events.delete', params: { id } },
      { method: 'events.delete', params: { id } },
    ])
    expect(created).toMatchObject({ event: { id, streamIds: ['notes'] } })
    expect(updated).toMatchObject({ event: { id, content: 'b' } })
    expect(trashed).toMatchObject({ event: { id, trashed: true } })
    expect(deleted).toMatchObject({ eventDeletion: { id } })
    expect(gone).toMatchObject({ error: { id: 'unknown-resource' } })
    expect(await bodyOf(writer.get(`events/${id}x`))).toMatchObject({ error: { id: 'unknown-resource' } })
    expect(await bodyOf(writer.get('events', { limit: 'many' }))).toMatchObject({ error: { id: 'invalid-parameters-format' } })
  })
})
