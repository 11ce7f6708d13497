/** Answers and events in memory that nothing uses for ten minutes are released. */
import { afterEach, expect, it, vi } from 'vitest'
import { registerUser, request, startTestNode } from '../support/nodes/node.js'

const FIVE_MINUTES = 300_000

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('releases answers and events in memory that are not used', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const node = await startTestNode()
  const { db, queryCache, eventColumns, eventPages } = { ...node.node, db: node.node.store.db }
  const token = await registerUser(node, 'alice')
  const released = [queryCache, eventColumns, eventPages].map((cache) => vi.spyOn(cache, 'releaseUnused'))
  const snapshots = vi.spyOn(db, 'snapshot')
  const readsOf = async (): Promise<number> => {
    const before = snapshots.mock.calls.length
    const { status } = await request(`${node.url}alice/events?limit=5`, { token })
    expect(status).toBe(200)
    return snapshots.mock.calls.length - before
  }
  await readsOf()
  expect(await readsOf()).toBe(0)
  vi.advanceTimersByTime(FIVE_MINUTES)
  expect(await readsOf()).toBe(0)
  vi.advanceTimersByTime(2 * FIVE_MINUTES)
  expect(await readsOf()).toBeGreaterThan(0)
  for (const spy of released) expect(spy).toHaveBeenCalledTimes(3)
  await node.stop()
  vi.advanceTimersByTime(FIVE_MINUTES)
  for (const spy of released) expect(spy).toHaveBeenCalledTimes(3)
})
