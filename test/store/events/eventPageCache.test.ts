/** Tests which accounts are in memory, and that memory and disk have the same events. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { createEventPageCache, type EventPageCache } from '../../../src/store/events/eventPageCache.js'
import { openSources, scanEvents, type EventQuery } from '../../../src/store/events/eventQuery.js'
import { addEvent, replaceEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { newAccount } from '../../support/nodes/directCalls.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'

const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
const eventAt = (n: number, content: unknown = n): Event => ({ id: `e${n}`, streamIds: ['s'], type: 'note/txt', time: n, content, tags: [], ...tracking })

let node: TestNode
let cache: EventPageCache

const openCache = (options: { capacity?: number; minCost?: number } = {}): EventPageCache => (cache = createEventPageCache({ ...node.node.store, ...options }))

beforeEach(async () => {
  node = await startTestNode()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await cache.stop()
  await node.stop()
})

const accountWith = async (count: number, content?: unknown): Promise<Account> => {
  const account = await newAccount(node.node, [{ id: 's', name: 'S', parentId: null, ...tracking }])
  await Promise.all(Array.from({ length: count }, (_, n) => add(account, eventAt(n, content))))
  return account
}

const add = (account: Account, event: Event): Promise<unknown> => account.write((t) => addEvent(t, node.node.store.recorder, event))

/** Queries an account that is not in memory. */
async function query(account: Account): Promise<void> {
  expect(cache.of(account)).toBeUndefined()
  cache.noteRead(account, 20)
  await cache.settled()
}

/** Loads an account: the first query determines its size. Returns its records, undefined if it is not loaded. */
async function loaded(account: Account): Promise<string[] | undefined> {
  await query(account)
  await query(account)
  return recordsOf(account)
}

const recordsOf = (account: Account): string[] | undefined => cache.of(account)?.pages?.flatMap(({ records }) => records)

async function onDisk(account: Account): Promise<string[]> {
  const records: string[] = []
  for await (const record of each(account.db.values(under(accountKeys.events(account.prefix))))) records.push(record)
  return records
}

describe('the cache of event pages', () => {
  it('loads an account once its queries have read as much', async () => {
    openCache({ minCost: 500 })
    const account = await accountWith(10)
    // Each counts 120 records.
    for (let n = 0; n < 5; n++) await query(account)
    expect(recordsOf(account)).toBeUndefined()
    await query(account)
    expect(recordsOf(account)).toEqual(await onDisk(account))
  })

  it('follows every write, also those made while it loads', async () => {
    openCache({ minCost: 1 })
    const account = await accountWith(3000)
    await query(account)
    const loading = query(account)
    const written = Promise.all(Array.from({ length: 500 }, (_, n) => add(account, eventAt(5000 + n))))
    expect(recordsOf(account)).toBeUndefined()
    await Promise.all([written, loading])
    expect(recordsOf(account)).toEqual(await onDisk(account))
    await account.write((t) => {
      replaceEvent(t, node.node.store.recorder, eventAt(7), { ...eventAt(7), time: 9000 })
      replaceEvent(t, node.node.store.recorder, eventAt(8), { ...eventAt(8), content: 'changed' })
    })
    expect(recordsOf(account)).toEqual(await onDisk(account))
    // More than wait for a query.
    await Promise.all(Array.from({ length: 2500 }, (_, n) => add(account, eventAt(10_000 + n))))
    const records = recordsOf(account)
    expect(records).toHaveLength(6000 + 1)
    expect(records).toEqual(await onDisk(account))
  })

  it('has a commit before its followers are notified, and never one that failed', async () => {
    openCache({ minCost: 1 })
    const account = await accountWith(3)
    await loaded(account)
    let seen: number | undefined
    const unfollow = node.node.store.follow(() => {
      seen ??= recordsOf(account)?.length
    })
    const before = recordsOf(account)?.length ?? 0
    const writing = add(account, eventAt(50))
    expect(recordsOf(account)).toHaveLength(before)
    await writing
    unfollow()
    expect(seen).toBe(before + 1)
    const { db } = node.node.store
    const batch = db.batch.bind(db)
    vi.spyOn(db, 'batch').mockImplementation(() => ({ ...batch(), put: () => {}, delete: () => {}, length: 1, write: () => Promise.reject(new Error('EIO')) }))
    await expect(add(account, eventAt(51))).rejects.toMatchObject({ id: 'read-only' })
    expect(recordsOf(account)).toHaveLength(before + 1)
  })

  it('removes the least recently queried accounts when memory is short', async () => {
    openCache({ minCost: 1, capacity: 60_000 })
    const text = 'x'.repeat(300)
    const [one, two] = [await accountWith(60, text), await accountWith(60, text)]
    expect(await loaded(one)).toHaveLength(61)
    expect(await loaded(two)).toHaveLength(61)
    expect(recordsOf(one)).toBeUndefined()
    expect(one.onWritten).toBeUndefined()
    expect(await loaded(one)).toHaveLength(61)
    expect(two.onWritten).toBeUndefined()
  })

  it('never holds an account that is too large, or has become so', async () => {
    openCache({ minCost: 1, capacity: 60_000 })
    const text = 'x'.repeat(300)
    const large = await accountWith(150, text)
    expect(await loaded(large)).toBeUndefined()
    expect(large.onWritten).toBeUndefined()
    const growing = await accountWith(60, text)
    expect(await loaded(growing)).toHaveLength(61)
    await Promise.all(Array.from({ length: 60 }, (_, n) => add(growing, eventAt(1000 + n, text))))
    expect(recordsOf(growing)).toBeUndefined()
    expect(growing.onWritten).toBeUndefined()
  })

  it('releases an account that is not queried for two sweeps, also while it is written to', async () => {
    openCache({ minCost: 1 })
    const account = await accountWith(5)
    expect(await loaded(account)).toHaveLength(6)
    cache.releaseUnused()
    expect(recordsOf(account)).toHaveLength(6)
    cache.releaseUnused()
    await add(account, eventAt(10))
    expect(account.onWritten).toBeDefined()
    cache.releaseUnused()
    expect(account.onWritten).toBeUndefined()
    expect(await loaded(account)).toHaveLength(7)
  })

  it('drops the events of an erased account', async () => {
    openCache({ minCost: 1 })
    const account = await accountWith(5)
    expect(await loaded(account)).toHaveLength(6)
    await node.node.store.eraseAccount(account, () => Promise.resolve(() => {}))
    expect(account.onWritten).toBeUndefined()
    expect(recordsOf(account)).toBeUndefined()
  })

  it('lends its events to a query for a second, which then reads the database', async () => {
    openCache({ minCost: 1 })
    const account = await accountWith(3000)
    await loaded(account)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const scan: EventQuery = { streams: [{ any: 'everything', account: new Set([':_system:language']), all: [], not: new Set() }], state: 'all', runningOnly: false, ascending: true, skip: 10, limit: 2500 }
      const sources = openSources(account, scan, { eventPages: cache })
      expect(sources.isSame).toBe(true)
      const records: string[] = []
      for await (const page of scanEvents(account, scan, sources)) {
        records.push(...page)
        vi.advanceTimersByTime(600)
      }
      expect(sources.loaded?.pages).toBeUndefined()
      await sources.close()
      expect(records).toEqual((await onDisk(account)).slice(10, 2510))
      const writing = add(account, eventAt(5000))
      const during = openSources(account, scan, { eventPages: cache })
      expect(during.isSame).toBe(false)
      await during.close()
      expect(during.loaded).toMatchObject({ pages: undefined })
      await writing
    } finally {
      vi.useRealTimers()
    }
  })

  it('stops while it loads', async () => {
    openCache({ minCost: 1 })
    const account = await accountWith(3000)
    await query(account)
    const loading = query(account)
    await cache.stop()
    await loading
    expect(account.onWritten).toBeUndefined()
    expect(recordsOf(account)).toBeUndefined()
    await cache.settled()
    expect(recordsOf(account)).toBeUndefined()
  })
})
