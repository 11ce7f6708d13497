/** Small answers come from the events in memory at once, without opening the database; others are read in turns. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountOfUsername } from '../../../../src/store/accounts/users.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'

const NOW = 1_700_000_000
const BEGIN = NOW - 10_000
const COUNT = 300
/** Number of events whose texts are too long together. */
const LONG_COUNT = 150

let node: TestNode
let token: string
let snapshots = 0

beforeAll(async () => {
  node = await startTestNode({ 'limits.batch.maxTotalItems': 1000 }, { clock: { now: () => NOW } })
  token = await registerUser(node, 'alice')
  for (const id of ['s', 'long', 'files']) await api('streams', { id, name: id })
  const events = Array.from({ length: COUNT }, (_, n) => ({ streamIds: ['s'], type: n % 2 === 0 ? 'count/generic' : 'mass/kg', time: BEGIN + n, content: n }))
  const long = Array.from({ length: LONG_COUNT }, (_, n) => ({ streamIds: ['long'], type: 'note/txt', time: BEGIN - 1 - n, content: 'x'.repeat(1000) }))
  await api('', [...events, ...long].map((params) => ({ method: 'events.create', params })))
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['files'], type: 'picture/attached', time: BEGIN - 1000 }))
  form.append('file', new Blob(['x']), 'x.txt')
  expect((await fetch(`${node.url}alice/events`, { method: 'POST', headers: { authorization: token }, body: form })).status).toBe(201)

  const { store, eventPages } = node.node
  const account = await store.account(accountOfUsername(store.db, 'alice') ?? '')
  while (eventPages.of(account) === undefined) {
    eventPages.noteRead(account, 1_000_000)
    await eventPages.settled()
  }
  const snapshot = store.db.snapshot.bind(store.db)
  store.db.snapshot = () => ((snapshots += 1), snapshot())
})
afterAll(() => node.stop())

type Json = Record<string, unknown>
const api = (path: string, body?: unknown): ReturnType<typeof request> =>
  request(`${node.url}alice/${path}`, { token, ...(body === undefined ? {} : { body }) })

/** Asks a query; returns the events, and the number of snapshots of the database that it took. */
async function ask(query: string): Promise<{ events: Json[]; opened: number }> {
  const before = snapshots
  const { body } = await api(`events?${query}`)
  return { events: (body as { events: Json[] }).events, opened: snapshots - before }
}

it.each([
  ['limit=3&streams=s', [299, 298, 297]],
  ['limit=3&skip=2&sortAscending=true&streams=s', [2, 3, 4]],
  ['limit=2&types[]=mass/kg', [299, 297]],
  [`toTime=${BEGIN + 50}&limit=2`, [50, 49]],
  [`fromTime=${BEGIN + 7}&toTime=${BEGIN + 8}&limit=10`, [8, 7]],
  [`fromTime=${NOW - 500}&toTime=${NOW - 400}&limit=10`, []],
])('%s opens no database', async (query, expected) => {
  const { events, opened } = await ask(query)
  expect(events.map(({ content }) => content)).toEqual(expected)
  expect(opened).toBe(0)
})

it.each([
  ['many records', 'limit=250&streams=s', 250],
  ['long texts', `limit=${LONG_COUNT}&streams=long`, LONG_COUNT],
  ['a condition on contents', `limit=1&streams=s&content=${encodeURIComponent(JSON.stringify([{ path: '$', gt: 280 }]))}`, 1],
])('%s are read in turns', async (_, query, count) => {
  const { events, opened } = await ask(query)
  expect(events).toHaveLength(count)
  expect(opened).toBe(1)
})

it('shows read tokens of files', async () => {
  const { events, opened } = await ask('streams=files&limit=1')
  expect(events).toMatchObject([{ attachments: [{ fileName: 'x.txt', readToken: expect.any(String) as string }] }])
  expect(opened).toBe(0)
})

it('shows a change that was made before', async () => {
  const { events } = await ask('limit=1&skip=5')
  await api('', [{ method: 'events.update', params: { id: events[0]?.['id'], update: { content: -1 } } }])
  expect((await ask('limit=1&skip=5')).events).toMatchObject([{ content: -1 }])
  const { opened } = await ask('limit=1&skip=6')
  expect(opened).toBe(0)
})

it('counts its records for the audit record of the call', async () => {
  await ask('limit=7&streams=s')
  const { events } = await ask(`limit=1&streams=${encodeURIComponent(':_audit:action-events.get')}`)
  expect(events).toMatchObject([{ content: { recordCount: 7, scopedStreamIds: ['s'] } }])
})
