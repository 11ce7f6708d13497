/** The duration of the holder event of a series follows its points (docs/interface/series.md#holder-event). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepDurations } from '../../../../src/server/api/series/durations.js'
import { initialise } from '../../../../src/server/launch/init.js'
import { nodeKeys, under } from '../../../../src/store/engine/keys.js'
import { expectSound } from '../../../support/store/check.js'
import { integrityOf } from '../../../support/oracles/integrity.js'
import { placesOf, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'
import { newHolder, addPoints, values } from './support.js'

type Json = Record<string, unknown>

let home: string
let node: TestNode
let stage: Stage

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-durations-'))
  await initialise(placesOf(home))
  node = await startTestNode({ 'user-account.delete': ['personalToken'] }, { home })
  stage = await newStage(node)
})
afterEach(async () => {
  await node.stop()
  await rm(home, { recursive: true, force: true })
})

/** Calls a method of the current node. */
const call = async (id: string, params: unknown): Promise<Json> =>
  (await callThrough('http', { node, username: stage.username }, stage.owner, id, params)).body

const holderOf = async (id: string): Promise<Json> => (await call('events.getOne', { id }))['event'] as Json

/** Waits until the duration of an event has a value. */
const durationReaches = (id: string, duration: number): Promise<void> =>
  expect.poll(async () => (await holderOf(id))['duration'], { timeout: 15_000, interval: 50 }).toBe(duration)

async function pendingKeys(): Promise<string[]> {
  const keys = node.node.store.db.keys(under(nodeKeys.seriesDues))
  const found = await keys.next(100)
  await keys.close()
  return found
}

it('the node raises the duration soon after a write of points', async () => {
  const id = await newHolder(stage)
  const created = await holderOf(id)
  expect(created).not.toHaveProperty('duration')
  await watch(stage)
  await addPoints(stage, id, values([5, 1], [12.5, 2]))
  await addPoints(stage, id, values([3, 1]))
  await durationReaches(id, 12.5)
  const raised = await holderOf(id)
  expect(raised).toMatchObject({ ...created, duration: 12.5, modifiedBy: 'system', integrity: integrityOf(raised), modified: expect.any(Number) as number })
  expect(announced(stage)).toEqual([`series update ${id}`, `series update ${id}`, `event update ${id}`])
  expect(await pendingKeys()).toEqual([])
  const { events } = await stage.arrange('events.get', { fromTime: 1010, toTime: 1011 })
  expect(events).toMatchObject([{ id }])
})

it('the duration follows later points, with fewer updates than writes', async () => {
  const durations = await keepDurations(node.node, 10, 50)
  const id = await newHolder(stage)
  await watch(stage)
  for (let i = 1; i <= 20; i++) await addPoints(stage, id, values([i, 1]))
  await durationReaches(id, 20)
  expect(announced(stage).filter((entry) => entry === `event update ${id}`).length).toBeLessThan(20)
  await addPoints(stage, id, values([7, 1]))
  await addPoints(stage, id, values([30, 1]))
  await durationReaches(id, 30)
  await durations.stop()
})

it('the duration is not lowered, and a running event stays running', async () => {
  const durations = await keepDurations(node.node, 10, 50)
  const [long, running, other] = [await newHolder(stage), await newHolder(stage), await newHolder(stage)]
  await stage.arrange('events.update', { id: long, update: { duration: 100 } })
  await stage.arrange('events.update', { id: running, update: { duration: null } })
  for (const id of [long, running, other]) await addPoints(stage, id, values([9, 1]))
  await durationReaches(other, 9)
  await expect.poll(pendingKeys).toEqual([])
  expect(await holderOf(long)).toMatchObject({ duration: 100 })
  expect(await holderOf(running)).toMatchObject({ duration: null })
  await durations.stop()
})

it('the duration is raised before the node stops, and a pending update is applied at the next start', async () => {
  const id = await newHolder(stage)
  await addPoints(stage, id, values([8, 1]))
  expect(await pendingKeys()).toHaveLength(1)
  await node.stop()
  node = await startTestNode({}, { home })
  stage = { ...stage, node }
  expect(await holderOf(id)).toMatchObject({ duration: 8 })
  // Simulates a crash: the points are stored, and the update is pending.
  const loaded = await node.node.accounts.find(stage.username)
  await loaded?.account.write((t) => t.put(nodeKeys.seriesDue(t.account, id), ''))
  await call('events.update', { id, update: { duration: 0 } })
  await node.stop()
  node = await startTestNode({}, { home })
  stage = { ...stage, node }
  await durationReaches(id, 8)
  expect(await pendingKeys()).toEqual([])
})

it('no pending update remains for deleted events and accounts', async () => {
  const durations = await keepDurations(node.node, 10, 50)
  const id = await newHolder(stage)
  await addPoints(stage, id, values([8, 1]))
  await stage.arrange('events.delete', { id })
  await stage.arrange('events.delete', { id })
  const deletedAccount = await newStage(node)
  await addPoints(deletedAccount, await newHolder(deletedAccount), values([8, 1]))
  await request(`${node.url}users/${deletedAccount.username}`, { method: 'DELETE', token: deletedAccount.owner }).then(
    ({ status }) => expect(status).toBe(200),
  )
  await expect.poll(pendingKeys, { timeout: 10_000 }).toEqual([])
  await durations.stop()
  await node.stop()
  await expectSound(placesOf(home))
  node = await startTestNode({}, { home })
})
