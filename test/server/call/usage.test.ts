/** The usage of accesses: what is counted, when it is stored, and that a busy access is read from the store once. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createUsageTracker, type UsageTracker } from '../../../src/server/call/usage.js'
import { accountOfUsername } from '../../../src/store/accounts/users.js'
import type { Account } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
let account: Account
let accessId: string

beforeAll(async () => {
  node = await startTestNode({ 'accessTracking.isActive': false })
  const token = await registerUser(node, 'alice')
  const { body } = await request(`${node.url}alice/access-info`, { token })
  accessId = String(body['id'])
  const { store } = node.node
  account = await store.account(accountOfUsername(store.db, 'alice') ?? '')
})
afterAll(() => node.stop())

/** Creates a tracker of the node's store, whose timer does not flush. */
function newTracker(): UsageTracker {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const tracker = createUsageTracker(node.node.store, true)
  vi.useRealTimers()
  return tracker
}

const settled = (): Promise<void> => node.node.store.settled()

it('is the sum of what is stored and what was counted since, also while it is being stored', async () => {
  const tracker = newTracker()
  tracker.count(account, accessId, 'events.get', 100)
  tracker.count(account, accessId, 'events.get', 101)
  expect(tracker.read(account, accessId)).toEqual({ calls: { 'events.get': 2 }, lastUsed: 101 })
  tracker.flush()
  expect(tracker.read(account, accessId)).toEqual({ calls: { 'events.get': 2 }, lastUsed: 101 })
  tracker.count(account, accessId, 'streams.get', 102)
  expect(tracker.read(account, accessId)).toEqual({ calls: { 'events.get': 2, 'streams.get': 1 }, lastUsed: 102 })
  tracker.flush()
  await settled()
  expect(newTracker().read(account, accessId)).toEqual({ calls: { 'events.get': 2, 'streams.get': 1 }, lastUsed: 102 })
})

it('is read from the store once while calls go on, and again after a pause', async () => {
  const tracker = newTracker()
  const get = vi.spyOn(node.node.store.db, 'get')
  const reads = (): number => get.mock.calls.filter(([key]) => key === accountKeys.usage(account.prefix, accessId)).length
  for (let n = 0; n < 3; n++) {
    tracker.count(account, accessId, 'events.get', 200 + n)
    tracker.read(account, accessId)
    tracker.read(account, accessId)
    tracker.flush()
  }
  expect(reads()).toBe(1)
  await settled()
  // Nothing was counted between these two.
  tracker.flush()
  tracker.read(account, accessId)
  expect(reads()).toBe(2)
  get.mockRestore()
})

it('counts nothing when tracking is off', () => {
  const tracker = createUsageTracker(node.node.store, false)
  const before = tracker.read(account, accessId)
  tracker.count(account, accessId, 'events.get', 300)
  expect(tracker.read(account, accessId)).toEqual(before)
  tracker.stop()
})
