/** Repeated queries are answered from memory, as long as nothing that they depend on has changed. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { methods } from '../../../../src/server/api/methods.js'
import { RawList } from '../../../../src/server/call/results.js'
import { createControl } from '../../../../src/server/control/control.js'
import { operatorMethods } from '../../../../src/server/control/operatorMethods.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'

const NOW = 1_700_000_000
/** Window that ended before the present, and is half an hour long. */
const PAST = `fromTime=${NOW - 3600}&toTime=${NOW - 1800}`

let node: TestNode
let token: string
let now = NOW
let scans = 0

beforeAll(async () => {
  node = await startTestNode({ 'limits.batch.maxTotalItems': 100 }, { clock: { now: () => now } })
  // Loading the account into memory would count as a scan.
  vi.spyOn(node.node.eventPages, 'of').mockReturnValue(undefined)
  const { db } = node.node.store
  const snapshot = db.snapshot.bind(db)
  db.snapshot = () => ((scans += 1), snapshot())
  token = await registerUser(node, 'alice')
  await api('streams', { id: 's', name: 'S' })
})
afterAll(() => node.stop())
beforeEach(() => {
  now = NOW
})

type Json = Record<string, unknown>
const api = (path: string, body?: unknown, method?: string, by = token): ReturnType<typeof request> =>
  request(`${node.url}alice/${path}`, { token: by, ...(body === undefined ? {} : { body }), ...(method === undefined ? {} : { method }) })

/** Asks a query several times; returns the ids of each answer, and the number of scans for the last one. */
async function repeated(query: string, by?: string, times = 3): Promise<{ ids: string[]; lastScans: number }> {
  let texts = ''
  let ids: string[] = []
  let before = 0
  for (let n = 0; n < times; n++) {
    before = scans
    const { body } = await api(`events?${query}`, undefined, undefined, by)
    const { events } = body as { events: Json[] }
    ids = events.map(({ id }) => String(id))
    if (n > 0) expect(JSON.stringify(events)).toBe(texts)
    texts = JSON.stringify(events)
  }
  return { ids, lastScans: scans - before }
}

async function create(event: Json): Promise<string> {
  const { body } = await api('events', { streamIds: ['s'], type: 'note/txt', content: 'x', ...event })
  return (body as { event: { id: string } }).event.id
}

const batchOf = (count: number, event: (i: number) => Json): Promise<unknown> =>
  api('', Array.from({ length: count }, (_, i) => ({ method: 'events.create', params: { streamIds: ['s'], type: 'note/txt', ...event(i) } })))

it('reads a window in the past until it is repeated, and again after each change of the account', async () => {
  const one = await create({ time: NOW - 3000 })
  const query = `${PAST}&streams[]=s`
  expect(await repeated(query, undefined, 2)).toEqual({ ids: [one], lastScans: 1 })
  expect(await repeated(query)).toEqual({ ids: [one], lastScans: 0 })
  const two = await create({ time: NOW - 2900 })
  expect(await repeated(query)).toEqual({ ids: [two, one], lastScans: 0 })
  await api(`events/${one}`, { time: NOW - 100 }, 'PUT')
  expect(await repeated(query)).toEqual({ ids: [two], lastScans: 0 })
  await api(`events/${two}`, undefined, 'DELETE')
  expect(await repeated(query)).toEqual({ ids: [], lastScans: 0 })
  expect((await repeated(`${query}&state=trashed`)).ids).toEqual([two])
})

it('distinguishes accesses', async () => {
  await api('streams', { id: 'other', name: 'Other' })
  const own = await create({ time: NOW - 2500 })
  const hidden = await create({ time: NOW - 2400, streamIds: ['other'] })
  const { body } = await api('accesses', { name: 'reader', type: 'shared', permissions: [{ streamId: 's', level: 'read' }] })
  const reader = (body as { access: { token: string } }).access.token
  expect((await repeated(PAST)).ids).toEqual([hidden, own])
  expect((await repeated(PAST, reader)).ids).toEqual([own])
})

it('never answers a window that may include the present from memory', async () => {
  const running = await create({ time: NOW - 100, duration: null })
  const query = `fromTime=${NOW - 200}&toTime=${NOW}&streams[]=s`
  expect(await repeated(query)).toMatchObject({ ids: expect.arrayContaining([running]) as string[], lastScans: 1 })
  // The same window, in the past by now, no longer includes what is running.
  now = NOW + 1000
  const later = await repeated(query)
  expect(later.ids).not.toContain(running)
  expect(later.lastScans).toBe(0)
  // The clock was set back.
  now = NOW
  expect((await repeated(query)).ids).toContain(running)
})

it('answers a repeated large query from memory, whole', async () => {
  await api('streams', { id: 'large', name: 'Large' })
  await batchOf(100, (i) => ({ streamIds: ['large'], time: i, content: `${i} ${'é'.repeat(3000)}` }))
  const query = 'streams[]=large&limit=1000'
  expect((await repeated(query, undefined, 2)).lastScans).toBe(1)
  const { ids, lastScans } = await repeated(query)
  expect(lastScans).toBe(0)
  expect(new Set(ids).size).toBe(100)
})

it.each([
  ['small', 's', 5],
  ['large', 'large', 100],
])('gives each record of a %s list to a reader of records, from memory as from disk', async (_, stream, least) => {
  const control = createControl(node.node, methods, operatorMethods)
  for (let n = 0; n < 5; n++) await create({ time: 500 + n, streamIds: [stream] })
  const lists: string[][] = []
  for (let n = 0; n < 4; n++) {
    const before = scans
    const { events } = await control.call('events.get', { streams: [stream], limit: 1000 }, { user: 'alice' })
    expect(events).toBeInstanceOf(RawList)
    const records: string[] = []
    for await (const page of (events as RawList).pages) records.push(...page)
    lists.push(records.map((text) => JSON.stringify(JSON.parse(text))))
    if (n === 3) expect(scans - before).toBe(0)
  }
  expect(lists[0]?.length).toBeGreaterThanOrEqual(least)
  for (const list of lists) expect(list).toEqual(lists[0])
})

it('reads answers that are too large each time', async () => {
  await api('streams', { id: 'huge', name: 'Huge' })
  await batchOf(60, (i) => ({ streamIds: ['huge'], time: i, content: 'x'.repeat(20_000) }))
  expect(await repeated('streams[]=huge&limit=1000', undefined, 4)).toMatchObject({ lastScans: 1 })
})

it('refuses as many items from memory as from disk in a batch', async () => {
  await batchOf(101, (i) => ({ time: 1000 + i, content: 'y' }))
  const params = { streams: ['s'], fromTime: 1000, toTime: 2000 }
  const query = `streams[]=s&fromTime=1000&toTime=2000`
  expect((await repeated(query)).lastScans).toBe(0)
  for (let n = 0; n < 4; n++) {
    const { body } = await api('', [{ method: 'events.get', params }])
    expect((body as { results: Json[] }).results).toMatchObject([{ error: { id: 'too-many-results' } }])
  }
})
