/** Tests which columns of values are in memory. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { createEventColumns } from '../../../src/store/events/eventColumns.js'
import type { EventFilter } from '../../../src/store/events/eventFilter.js'
import { createEventGroups } from '../../../src/store/events/eventGroups.js'
import { addEvent } from '../../../src/store/events/events.js'
import { newAccount } from '../../support/nodes/directCalls.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'

const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
const CAPACITY = 40_000
/** Events whose values have more bytes than the capacity. */
const MANY = 9000

let node: TestNode
let cache: ReturnType<typeof createEventColumns>

beforeEach(async () => {
  node = await startTestNode()
  cache = createEventColumns({ follow: node.node.store.follow, capacity: CAPACITY })
})
afterEach(async () => {
  cache.stop()
  await node.stop()
})

/** Creates an account with few events in stream `few`, and many in `many`. */
async function accountWithEvents(): Promise<Account> {
  const account = await newAccount(node.node, ['few', 'many'].map((id) => ({ id, name: id, parentId: null, ...tracking })))
  const add = (streamId: string, n: number): Promise<unknown> =>
    account.write((t) => addEvent(t, node.node.store.recorder, { id: `${streamId}${n}`, streamIds: [streamId], type: 'count/generic', time: n, content: n, tags: [], ...tracking }))
  await Promise.all([...Array.from({ length: 20 }, (_, n) => add('few', n)), ...Array.from({ length: MANY }, (_, n) => add('many', n))])
  return account
}

/** Asks for the columns of a stream; returns whether the database was read, and the number of values. */
async function ask(account: Account, streamId: string): Promise<{ isRead: boolean; values: number | undefined }> {
  const reads = vi.spyOn(account.db, 'snapshot')
  const streams = [{ any: new Set([streamId]), account: new Set<string>(), all: [], not: new Set<string>() }]
  const filter: EventFilter = { streams, state: 'all', runningOnly: false }
  const columns = await cache.of(account, { key: streamId, filter, createGroups: () => createEventGroups((ids) => ids) })
  const isRead = reads.mock.calls.length > 0
  reads.mockRestore()
  return { isRead, values: columns?.blocks.reduce((sum, { values }) => sum + values.length, 0) }
}

it('keeps columns beside those that are too large, and releases those that are not used', { timeout: 60_000 }, async () => {
  const account = await accountWithEvents()
  expect(await ask(account, 'few')).toEqual({ isRead: true, values: 20 })
  expect(await ask(account, 'few')).toEqual({ isRead: false, values: 20 })
  expect(await ask(account, 'many')).toEqual({ isRead: true, values: undefined })
  expect((await ask(account, 'few')).values).toBe(20)
  expect(await ask(account, 'few')).toEqual({ isRead: false, values: 20 })
  expect(await ask(account, 'many')).toEqual({ isRead: false, values: undefined })
  cache.releaseUnused()
  expect(await ask(account, 'few')).toEqual({ isRead: false, values: 20 })
  cache.releaseUnused()
  cache.releaseUnused()
  expect(await ask(account, 'few')).toEqual({ isRead: true, values: 20 })
})
