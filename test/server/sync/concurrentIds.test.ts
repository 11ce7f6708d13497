/** Equal ids and names chosen on two disconnected nodes: both show the same afterwards, and stay in sync. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

type Json = Record<string, unknown>

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
  await callAt(here, 'streams.create', { id: 'root', name: 'root' })
  await pairSides(here, there)
  await sidesInSync(here, there)
})
afterAll(() => stopSides(here, there))

async function pause(paused: boolean): Promise<void> {
  for (const { node, account } of [there, here]) {
    const { peers } = node.node.sync
    await peers.change(account, (await peers.named(account, 'other')).number, { paused })
  }
}

/** Runs changes on each node while they are disconnected; then syncs them. */
async function whileDisconnected(run: (on: Side, at: number) => Promise<unknown>): Promise<void> {
  await pause(true)
  await run(here, 0)
  await run(there, 1)
  await pause(false)
  await sidesInSync(here, there)
  const [compared] = await here.node.node.sync.peers.compare({ account: here.account }, { seconds: 20, deep: true })
  expect(compared).toMatchObject({ state: 'in-sync' })
}

const both = async (method: string, params: Json, pick: string): Promise<unknown[]> =>
  Promise.all([here, there].map(async (on) => (await callAt(on, method, params))[pick]))

/** Returns the answers of both nodes, which must be equal. */
async function sameAnswer(method: string, params: Json, pick: string): Promise<Json> {
  const [a, b] = await both(method, params, pick)
  expect(a).toEqual(b)
  return a as Json
}

it('merges events created with the same id', async () => {
  const id = 'ccccccccccccccccccccccccc'
  await whileDisconnected((on, at) => callAt(on, 'events.create', { id, streamIds: ['root'], type: 'note/txt', content: `text ${at}`, time: at, tags: [`t${at}`] }))
  expect(await sameAnswer('events.getOne', { id }, 'event')).toMatchObject({ id, tags: ['t0', 't1'] })
})

it('merges streams created with the same id below different parents', async () => {
  for (const id of ['p0', 'p1']) await callAt(here, 'streams.create', { id, name: id })
  await sidesInSync(here, there)
  await whileDisconnected((on, at) => callAt(on, 'streams.create', { id: 'chosen', name: `name ${at}`, parentId: `p${at}` }))
  await sameAnswer('streams.get', { state: 'all' }, 'streams')
})

it('renames one of two siblings created with the same name', async () => {
  await whileDisconnected((on, at) => callAt(on, 'streams.create', { id: `sibling${at}`, name: 'sibling', parentId: 'root' }))
  const [root] = ((await sameAnswer('streams.get', { id: 'root' }, 'streams')) as unknown as Json[])
  expect((root?.['children'] as Json[]).map(({ name }) => name).sort()).toEqual(['sibling', 'sibling (2)'])
})

it('renames one of two accesses created with the same name, with and without a device', async () => {
  await whileDisconnected(async (on) => {
    await callAt(on, 'accesses.create', { type: 'shared', name: 'twin', permissions: [{ streamId: 'root', level: 'read' }] })
    await callAt(on, 'accesses.create', { type: 'app', name: 'twin', deviceName: 'phone', permissions: [{ streamId: 'root', level: 'read' }] })
  })
  const all = (await both('accesses.get', {}, 'accesses')) as Json[][]
  const [a, b] = all.map((list) => list.filter(({ type }) => type !== 'personal').map(({ id, name }) => `${String(id)} ${String(name)}`).sort())
  expect(a).toEqual(b)
  expect(a?.map((one) => one.slice(one.indexOf(' ') + 1)).sort()).toEqual(['twin', 'twin', 'twin (2)', 'twin (2)'])
})

it('renames one of two accesses renamed to the same name', async () => {
  const createAccess = async (name: string): Promise<Json> => (await callAt(here, 'accesses.create', { type: 'shared', name, permissions: [{ streamId: 'root', level: 'read' }] }))['access'] as Json
  const made = [await createAccess('first'), await createAccess('second')]
  await sidesInSync(here, there)
  await whileDisconnected((on, at) => callAt(on, 'accesses.update', { id: made[at]?.['id'], update: { name: 'renamed' } }))
  const all = (await both('accesses.get', {}, 'accesses')) as Json[][]
  const [a, b] = all.map((list) => list.filter(({ id }) => made.some((one) => String(id).startsWith(String(one['id'])))).map(({ id, name }) => `${String(id)} ${String(name)}`).sort())
  expect(a).toEqual(b)
  expect(a?.map((one) => one.slice(one.indexOf(' ') + 1)).sort()).toEqual(['renamed', 'renamed (2)'])
})
