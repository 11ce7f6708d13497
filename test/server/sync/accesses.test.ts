/** Concurrent changes of accesses on two disconnected nodes: afterwards tokens have the permissions granted by both. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { ConflictingField } from '../../../src/sync/peers/conflicts.js'
import { request, startTestNode } from '../../support/nodes/node.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'
import { startReceiver, type Receiver } from '../../support/services/webhookReceiver.js'
import { connectSocket } from '../../support/http/socket.js'

type Json = Record<string, unknown>

const USER = 'anna1'
const WIDE = [
  { streamId: 'a', level: 'manage' },
  { streamId: 'b', level: 'manage' },
]
const NARROW = [{ streamId: 'a', level: 'read' }]

let here: Side
let there: Side
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  here = await startSide({ 'webhooks.allowedPrivateHosts': ['127.0.0.1'] })
  there = await startSide({ 'webhooks.allowedPrivateHosts': ['127.0.0.1'] })
  for (const id of ['a', 'b']) await callAt(here, 'streams.create', { id, name: id })
  await pairSides(here, there)
  await sidesInSync(here, there)
})
afterAll(async () => {
  await stopSides(here, there)
  await receiver.stop()
})

async function pause(paused: boolean): Promise<void> {
  // Resumes the called node first, so that the caller does not find it paused.
  for (const { node, account } of [there, here]) {
    const { peers } = node.node.sync
    await peers.change(account, (await peers.named(account, 'other')).number, { paused })
  }
}

/** Runs while the nodes are disconnected; then syncs them and compares their recomputed digests. */
async function whileDisconnected(run: () => Promise<unknown>): Promise<void> {
  await pause(true)
  await run()
  await pause(false)
  await sidesInSync(here, there)
  const [compared] = await here.node.node.sync.peers.compare({ account: here.account }, { seconds: 20, deep: true })
  expect(compared).toMatchObject({ state: 'in-sync' })
}

const createAccess = async (on: Side, more: Json): Promise<Json> =>
  (await callAt(on, 'accesses.create', { type: 'shared', permissions: WIDE, ...more }))['access'] as Json
const base = ({ id }: Json): string => String(id).split(':')[0] ?? ''
const all = async (on: Side): Promise<Json[]> =>
  (await callAt(on, 'accesses.get', { includeExpired: true }))['accesses'] as unknown as Json[]
async function read(on: Side, access: Json): Promise<Json> {
  const found = (await all(on)).find((one) => base(one) === base(access))
  if (found === undefined) throw new Error('no access')
  return found
}
const update = async (on: Side, access: Json, changes: Json): Promise<Json> =>
  (await callAt(on, 'accesses.update', { id: (await read(on, access))['id'], update: changes }))['access'] as Json
const conflicts = async ({ node, account }: Side, access: Json): Promise<readonly ConflictingField[]> =>
  (await node.node.sync.conflicts(account, 100)).conflicts.find(({ id }) => id === base(access))?.fields ?? []
const post = async (on: Side, token: unknown, streamId: string): Promise<number> =>
  (await request(`${on.node.url}${USER}/events`, { token: String(token), body: { streamIds: [streamId], type: 'note/txt', content: 'x' } })).status

it('reduced permissions win over concurrent edits and apply to open connections immediately', async () => {
  const access = await createAccess(here, { name: 'narrowed', type: 'app' })
  await sidesInSync(here, there)
  const { token } = access
  expect(await post(there, token, 'b')).toBe(201)
  const socket = await connectSocket(there.node, USER, { token: String(token) })
  expect((await socket.call('events.create', { streamIds: ['b'], type: 'note/txt', content: 'x' })).error).toBe(null)
  const scopes = Object.fromEntries(['a', 'b'].map((id) => [id, { kind: 'events', query: { streams: [id] } }]))
  const hook = (await request(`${there.node.url}${USER}/webhooks`, { token: String(token), body: { url: receiver.url, scopes } })).body
  expect(hook).toMatchObject({ webhook: { state: 'active' } })
  await callAt(there, 'events.create', { streamIds: ['b'], type: 'note/txt', content: 'z' })
  await vi.waitFor(() => expect(receiver.messages.flat()).toContain('b'), { timeout: 10_000 })
  await whileDisconnected(async () => {
    await update(here, access, { permissions: NARROW })
    for (const k of [1, 2]) await update(there, access, { clientData: { k } })
  })
  for (const on of [here, there]) {
    expect(await read(on, access)).toMatchObject({ id: `${base(access)}:3`, permissions: NARROW, clientData: { k: 2 } })
    expect(await post(on, token, 'b')).toBe(403)
    expect(await conflicts(on, access)).toEqual([])
  }
  expect(await read(here, access)).toMatchObject({ integrity: (await read(there, access))['integrity'] })
  expect((await socket.call('events.create', { streamIds: ['b'], type: 'note/txt', content: 'x' })).error).toMatchObject({ error: { id: 'forbidden' } })
  socket.close()
  const before = receiver.messages.length
  await callAt(there, 'events.create', { streamIds: ['b'], type: 'note/txt', content: 'private' })
  await callAt(there, 'events.create', { streamIds: ['a'], type: 'note/txt', content: 'y' })
  const notified = (): string[] => receiver.messages.slice(before).flat()
  await vi.waitFor(() => expect(notified()).toContain('a'), { timeout: 10_000 })
  expect(notified()).not.toContain('b')
})

it('concurrent changes of permissions grant their intersection and are listed as conflicts until the owner resolves them', async () => {
  const access = await createAccess(here, { name: 'both', expireAfter: 5000 })
  await sidesInSync(here, there)
  await whileDisconnected(async () => {
    await update(here, access, { permissions: [{ streamId: 'a', level: 'contribute' }, { streamId: 'b', level: 'read' }], expireAfter: 900, clientData: { x: 1, z: 1 } })
    await update(there, access, { permissions: [{ streamId: 'a', level: 'read' }, { streamId: 'b', level: 'manage' }], expires: null, clientData: { y: 1, z: 2 } })
  })
  const permissions = [{ streamId: 'a', level: 'read' }, { streamId: 'b', level: 'read' }]
  for (const on of [here, there]) {
    expect(await read(on, access)).toMatchObject({ permissions, clientData: { x: 1, y: 1, z: 2 } })
    expect(await post(on, access['token'], 'b')).toBe(403)
    const listed = await conflicts(on, access)
    expect(listed.map(({ field }) => field).sort()).toEqual(['c:z', 'expires', 'permissions'])
    expect(listed.find(({ field }) => field === 'permissions')).toMatchObject({ shown: permissions, others: [{ length: 2 }, { length: 2 }] })
    expect(listed.find(({ field }) => field === 'expires')?.others).toEqual([null])
  }
  expect((await read(here, access))['expires']).toBe((await read(there, access))['expires'])
  expect(Number((await read(here, access))['expires'])).toBeLessThan(Number(access['modified']) + 1000)
  await update(there, access, { permissions: WIDE, expireAfter: 5000, clientData: { z: 3 } })
  await sidesInSync(here, there)
  for (const on of [here, there]) {
    expect(await read(on, access)).toMatchObject({ permissions: WIDE, clientData: { z: 3 } })
    expect(await post(on, access['token'], 'b')).toBe(201)
    expect(await conflicts(on, access)).toEqual([])
  }
})

it('a deletion wins over concurrent edits', async () => {
  const access = await createAccess(here, { name: 'deleted' })
  await sidesInSync(here, there)
  await whileDisconnected(async () => {
    await callAt(here, 'accesses.delete', { id: access['id'] })
    for (const k of [1, 2]) await update(there, access, { clientData: { k } })
  })
  for (const on of [here, there]) {
    expect(await post(on, access['token'], 'a')).toBe(403)
    expect((await all(on)).map(base)).not.toContain(base(access))
  }
})

it('one of two accesses with the same token chosen for both remains, limited by both, on both nodes', async () => {
  let [first, second]: Json[] = []
  await whileDisconnected(async () => {
    first = await createAccess(here, { name: 'one', token: 'chosen', permissions: [{ streamId: 'a', level: 'manage' }, { streamId: 'b', level: 'read' }] })
    second = await createAccess(there, { name: 'two', token: 'chosen', permissions: [{ streamId: 'b', level: 'manage' }, { streamId: 'a', level: 'read' }], expireAfter: 900 })
  })
  const permissions = [{ streamId: 'a', level: 'read' }, { streamId: 'b', level: 'read' }]
  for (const on of [here, there]) {
    const [live, ...others] = (await all(on)).filter(({ token }) => token === 'chosen')
    expect([base(live ?? {}), others]).toEqual([base(second ?? {}), []])
    expect(live).toMatchObject({ name: 'two', permissions, expires: second?.['expires'] })
    expect((await all(on)).map(base)).not.toContain(base(first ?? {}))
    for (const streamId of ['a', 'b']) expect(await post(on, 'chosen', streamId)).toBe(403)
    expect((await conflicts(on, second ?? {})).find(({ field }) => field === 'token')).toMatchObject({ shown: base(second ?? {}), others: [base(first ?? {})] })
  }
  await update(here, second ?? {}, { permissions: WIDE, expires: null })
  await sidesInSync(here, there)
  for (const on of [here, there]) {
    expect(await post(on, 'chosen', 'b')).toBe(201)
    expect(await conflicts(on, second ?? {})).toEqual([])
  }
})

it('a token reused after a deletion has the permissions of the new access only', async () => {
  const first = await createAccess(here, { name: 'former', token: 'again', permissions: NARROW })
  await sidesInSync(here, there)
  await whileDisconnected(async () => {
    await callAt(here, 'accesses.delete', { id: first['id'] })
    await createAccess(here, { name: 'latter', token: 'again' })
  })
  for (const on of [here, there]) expect(await post(on, 'again', 'b')).toBe(201)
})

it('the merge has the same result after a restart', async () => {
  const access = await createAccess(here, { name: 'restarted' })
  await sidesInSync(here, there)
  await whileDisconnected(async () => {
    await update(there, access, { clientData: { k: 1 } })
    await update(here, access, { permissions: NARROW })
    await here.node.stop()
    here.node = await startTestNode({}, { home: here.home })
    const account = (await here.node.node.accounts.find(USER))?.account
    if (account === undefined) throw new Error('no account')
    here.account = account
    await update(here, access, { clientData: { l: 1 } })
    await update(there, access, { clientData: { k: 2 } })
  })
  for (const on of [here, there]) expect(await read(on, access)).toMatchObject({ permissions: NARROW, clientData: { k: 2, l: 1 } })
})
