/** Ids chosen by clients: every method refuses ids over MAX_ID_LENGTH and reserved ids; stored ones remain usable. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_ID_LENGTH } from '../../../src/store/model/slug.js'
import { addStream } from '../../../src/store/streams/streams.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
})
afterAll(() => node.stop())

const send = (path: string, body: unknown) => request(`${node.url}alice${path}`, { token, body })
const long = 'a'.repeat(MAX_ID_LENGTH + 1)
const longest = 'a'.repeat(MAX_ID_LENGTH)

const calls: [string, string, Record<string, unknown>][] = [
  ['streams.create', '/streams', { id: long, name: 'Long' }],
  // The slug of a non-ASCII text is longer than the text.
  ['streams.create', '/streams', { id: 'ß'.repeat(MAX_ID_LENGTH - 1), name: 'Long' }],
  ['streams.create', '/streams', { id: ':_cmc:apps:' + long, name: 'Long', parentId: ':_cmc:apps' }],
  ['events.create', '/events', { id: `:${long}:x`, streamIds: ['here'], type: 'note/txt', content: 'x' }],
  ['streams.create', '/streams', { id: 'a'.repeat(100_000), name: 'Long' }],
  ['events.create', '/events', { id: 'a'.repeat(100_000), streamIds: ['here'], type: 'note/txt', content: 'x' }],
  ['accesses.create', '/accesses', { name: 'Dots', token: '..', permissions: [{ streamId: '*', level: 'read' }] }],
  ['accesses.create', '/accesses', { name: 'Long', token: long, permissions: [{ streamId: '*', level: 'read' }] }],
  ['accesses.create', '/accesses', { name: 'Root', permissions: [{ streamId: ':_cmc:apps:' + long, level: 'manage' }] }],
]

it.each(calls)('%s refuses a chosen id of over 1024 characters or of dots, alone and in a batch', async (method, path, params) => {
  const alone = await send(path, params)
  expect(alone.status).toBe(400)
  const { body } = await send('', [{ method, params }])
  expect(body).toMatchObject({ results: [{ error: { id: (alone.body['error'] as { id: string }).id } }] })
})

it('accepts an id of 1024 characters', async () => {
  expect((await send('/streams', { id: longest, name: 'Longest' })).status).toBe(201)
  expect((await send('/accesses', { name: 'Longest', token: longest, permissions: [{ streamId: longest, level: 'read' }] })).status).toBe(201)
})

it.each(['b'.repeat(5000), ':_emails:x', ':_cmc:x'])('reads, changes and deletes a stored stream with the id %s', async (id) => {
  const account = (await node.node.accounts.find('alice'))?.account
  if (account === undefined) throw new Error('There is no account.')
  await account.write((t) => {
    addStream(account, t, node.node.store.recorder, { id, name: 'Old', parentId: null, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' })
  })
  const within = await send('/events', { streamIds: [id], type: 'note/txt', content: 'x' })
  expect(within.status).toBe(201)
  const events = await request(`${node.url}alice/events?streams=${id}`, { token })
  expect(events.body['events']).toHaveLength(1)
  expect((await request(`${node.url}alice/streams/${id}`, { method: 'PUT', token, body: { name: 'Older' } })).status).toBe(200)
  for (let step = 0; step < 2; step++) {
    expect((await request(`${node.url}alice/streams/${id}?mergeEventsWithParent=false`, { method: 'DELETE', token })).status).toBe(200)
  }
})
