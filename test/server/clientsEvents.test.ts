/** The published client `pryv`, unchanged: events written in a batch, and read back in every way (clients.md). */
import type { Event } from 'pryv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.js'
import { clientEventId, createAccount, logIn, serviceOf, type Client } from '../support/pryvClient.js'

type Json = Record<string, unknown>

const COUNT = 25

let node: TestNode
let writer: Client
let made: Json[]
const shares: number[] = []
const handled: unknown[] = []

beforeAll(async () => {
  node = await startTestNode()
  const service = serviceOf(node)
  await createAccount(service, 'writer')
  writer = await logIn(service, 'writer')
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
    (percent) => void shares.push(percent),
  )
})
afterAll(() => node.stop())

const events = (): Event[] => made.slice(1).map((result) => result['event'] as Event)
const newestFirst = (): Event[] => [...events()].reverse()
const EVERYTHING = { fromTime: 0, toTime: 2000, limit: 10_000, streams: ['notes'] }

it('a batch is answered in order, in chunks, with progress', () => {
  expect(made).toHaveLength(COUNT + 1)
  expect(made[0]).toMatchObject({ stream: { id: 'notes' } })
  expect(events().map(({ time }) => time)).toEqual(Array.from({ length: COUNT }, (_, at) => 1000 + at))
  expect(handled).toEqual(events().map(({ id }) => id))
  expect(shares).toEqual([38, 77, 100])
})

it('a batch is read back by api, by get, and as a stream', async () => {
  const [byApi] = await writer.api([{ method: 'events.get', params: EVERYTHING }])
  expect(byApi?.['events']).toEqual(newestFirst())
  const byGet = await writer.get('events', EVERYTHING)
  expect(byGet['events']).toEqual(newestFirst())
  const streamed: Event[] = []
  const result = await writer.getEventsStreamed(EVERYTHING, (event) => void streamed.push(event))
  expect(streamed).toEqual(newestFirst())
  expect(result).toMatchObject({ eventsCount: COUNT, meta: { serial: '1' } })
})

it('reading is filtered by repeated keys, by a query in one parameter, and by the widest times', async () => {
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

it('streaming tells of deletions, of nothing, and refuses streams that are not there', async () => {
  const id = clientEventId()
  const remove = { method: 'events.delete', params: { id } }
  await writer.api([
    { method: 'events.create', params: { id, streamIds: ['notes'], type: 'note/txt', time: 5, content: 'x' } },
    remove,
    remove,
  ])
  const seen: (Event & { deleted?: number })[] = []
  const query = { ...EVERYTHING, includeDeletions: true, modifiedSince: 0, state: 'all' as const }
  const result = await writer.getEventsStreamed(query, (event) => void seen.push(event))
  expect(result).toMatchObject({ eventsCount: COUNT, eventDeletionsCount: 1 })
  expect(seen.filter(({ deleted }) => deleted !== undefined).map((event) => event.id)).toEqual([id])
  const ignore = (): void => {}
  const nothing = { fromTime: 0, toTime: 2000, types: ['type/nonexistent'] }
  expect(await writer.getEventsStreamed(nothing, ignore)).toMatchObject({ eventsCount: 0 })
  expect(
    await writer.getEventsStreamed({ ...nothing, includeDeletions: true, modifiedSince: 0 } as object, ignore),
  ).toMatchObject({ eventsCount: 0, eventDeletionsCount: 1 })
  await expect(writer.getEventsStreamed({ streams: ['bogus'] }, ignore)).rejects.toThrow()
})

it('streaming gives more than one page, with its text intact', async () => {
  // The client decodes each chunk by itself, so that only ASCII survives their borders for certain.
  const content = '"events":[{ ] } " \\" \\ , '.repeat(200)
  const create = { method: 'events.create', params: { streamIds: ['notes'], type: 'note/txt', time: 10_000, content } }
  await writer.api(Array.from({ length: 60 }, () => create))
  const texts: unknown[] = []
  const query = { fromTime: 9000, toTime: 11_000, limit: 10_000 }
  const result = await writer.getEventsStreamed(query, (event) => void texts.push(event.content))
  expect(result).toMatchObject({ eventsCount: 60 })
  expect(texts).toEqual(Array.from({ length: 60 }, () => content))
})