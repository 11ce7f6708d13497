/** Background work of a node on series, and removal of the points of a deleted holder. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, nodeKeys, under } from '../../../src/store/engine/keys.js'
import { headOf } from '../../../src/store/series/head.js'
import { MERGE_LIMITS } from '../../../src/store/series/mergeSegments.js'
import { lastDelta, readPoints, removePoints, writePoints } from '../../../src/store/series/series.js'
import { storageUsedOf } from '../../../src/server/dispatch/quota.js'
import type { HomePlaces } from '../../../src/server/launch/init.js'
import { counted, newCounts } from '../../support/store/countingDatabase.js'
import { expectSound } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { openStore } from '../../../src/store/engine/open.js'
import { seeded } from '../leveldb/fixtures.js'
import { pointsOf, readRows, type Row } from './support.js'

const { home } = homes()
let places: HomePlaces
let node: TestNode
let token: string

const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const answer = await request(`${node.url}alice/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

async function accountOf(): Promise<Account> {
  const found = await node.node.accounts.find('alice')
  if (found === undefined) throw new Error('no account')
  return found.account
}

/** Creates a holder of texts, or of numbers. */
async function holder(type = 'series:mass/kg'): Promise<string> {
  const { event } = await call('POST', 'events', { streamIds: ['a'], type })
  return (event as { id: string }).id
}

const remove = async (path: string): Promise<void> => {
  await call('DELETE', path)
  await call('DELETE', path)
}

async function keysIn(families: readonly string[]): Promise<string[]> {
  const { db } = node.node.store
  const found = []
  for (const family of families) for await (const key of each(db.keys(under(family)))) found.push(key)
  return found
}
const segments = (account: string): Promise<string[]> =>
  keysIn([accountKeys.allPoints(account), accountKeys.allNewPoints(account), accountKeys.allSeries(account)])

const start = async (): Promise<void> => {
  node = await startTestNode({}, { home: places.home })
}

beforeAll(async () => {
  places = await home()
  await start()
  token = await registerUser(node, 'alice')
  await call('POST', 'streams', { id: 'a', name: 'a' })
})
afterAll(() => node.stop())

const rows = (from: number, count: number, value = (i: number): Row => ({ value: i / 10 })): [number, Row][] =>
  Array.from({ length: count }, (_, i) => [from + i, value(from + i)])

describe('series of a node', () => {
  it('are merged to few segments, independent of the number of writes', async () => {
    const account = await accountOf()
    const event = await holder()
    const next = seeded(5)
    const expected = new Map<number, Row>()
    const writes = []
    for (let i = 0; i < 1200; i++) {
      const one = rows(i % 10 === 0 ? next(1200) : i, 1 + next(3), (at) => ({ value: at + i }))
      writes.push(account.write((t) => writePoints(t, event, pointsOf(one), 1000 + i)))
      for (const [at, row] of one) expected.set(at, row)
      // Now and then the writes are flushed, and merged while more is written.
      if (i % 100 === 0) await writes.at(-1)
    }
    await Promise.all(writes)
    const ascending = [...expected].sort(([a], [b]) => a - b)
    expect(await readRows(account, event)).toEqual(ascending)
    await node.node.store.series.settled()
    expect(headOf(account.db, account.prefix, event)?.fresh).toBeLessThan(3 * MERGE_LIMITS.fanIn)
    expect(await readRows(account, event)).toEqual(ascending)
    expect(await readRows(account, event, { from: 100, to: 110 })).toEqual(ascending.filter(([at]) => at >= 100 && at < 110))
  })

  it('store large writes after their end directly in merged form', async () => {
    const account = await accountOf()
    const event = await holder()
    for (const from of [0, 20_000, 40_000]) {
      await account.write((t) => writePoints(t, event, pointsOf(rows(from, 20_000)), 1000))
    }
    expect(headOf(account.db, account.prefix, event)).toMatchObject({ fresh: 0, last: 59_999 })
    expect(await readRows(account, event, { from: 19_990, to: 20_010 })).toEqual(rows(19_990, 20))
    const { pages, fields } = await readPoints(account, event, { from: 0, to: Infinity })
    let count = 0
    for await (const { deltaTimes } of pages) count += deltaTimes.length
    expect({ count, fields }).toEqual({ count: 60_000, fields: ['value'] })
  })

  it('merge large writes over existing points, a few segments at a time', async () => {
    const account = await accountOf()
    const event = await holder()
    const over = rows(0, 20_000).map(([at]): [number, Row] => [at * 3 + 0.5, { value: -at }])
    await account.write((t) => writePoints(t, event, pointsOf(rows(0, 60_000)), 1000))
    await account.write((t) => writePoints(t, event, pointsOf(over), 1000))
    await node.node.store.series.settled()
    expect(headOf(account.db, account.prefix, event)).toMatchObject({ fresh: 0, points: 0 })
    const expected = [...rows(0, 60_000), ...over].sort(([a], [b]) => a - b)
    expect(JSON.stringify(await readRows(account, event)) === JSON.stringify(expected)).toBe(true)
  })

  it('are read from one snapshot during later writes and removals', async () => {
    const account = await accountOf()
    const event = await holder()
    await account.write((t) => writePoints(t, event, pointsOf(rows(0, 30_000)), 1000))
    const { pages } = await readPoints(account, event, { from: 0, to: Infinity })
    await account.write((t) => writePoints(t, event, pointsOf(rows(0, 30_000, () => ({ value: -1 }))), 1001))
    await remove(`events/${event}`)
    await node.node.store.series.settled()
    let count = 0
    let sum = 0
    for await (const { deltaTimes, columns } of pages) {
      count += deltaTimes.length
      const column = columns.get('value')
      if (column?.kind === 'number') for (const value of column.values) sum += value
    }
    expect({ count, sum: Math.round(sum) }).toEqual({ count: 30_000, sum: (29_999 * 30_000) / 20 })
    expect(await readRows(account, event)).toEqual([])
  })

  it('release their iterators once they are read or abandoned', async () => {
    const account = await accountOf()
    const event = await holder()
    await account.write((t) => writePoints(t, event, pointsOf(rows(0, 60_000)), 1000))
    const counts = newCounts()
    const reader = counted(account, counts)
    await readPoints(reader, event, { from: 0, to: 10_000 })
    expect(counts.open).toBe(0)
    const { pages } = await readPoints(reader, event, { from: 0, to: 60_000 })
    expect(counts.open).toBeGreaterThan(0)
    await pages[Symbol.asyncIterator]().return?.()
    expect(counts.open).toBe(0)
    const other = await readPoints(reader, event, { from: 0, to: 60_000 })
    for await (const page of other.pages) if ((page.deltaTimes[0] ?? 0) > 20_000) break
    expect(counts.open).toBe(0)
    for await (const _ of other.pages) throw new Error('a page after the end')
    expect(await readRows(reader, event)).toHaveLength(60_000)
    expect(counts.open).toBe(0)
  })

  it('are written together with their journal entry, which contains no values', async () => {
    const account = await accountOf()
    const event = await holder('series:note/txt')
    await account.write((t) => writePoints(t, event, pointsOf([[0, { value: 'confidential words' }]]), 1000))
    const entry = Buffer.from(account.db.getBytes(accountKeys.journal(account.prefix, account.sequence)) ?? [])
    expect(entry.toString('latin1')).toMatch(new RegExp(`^m~${event} \n`))
    expect(entry.includes('confidential')).toBe(false)
    expect(entry.length).toBeLessThan(90)
  })

  it('write nothing for no points', async () => {
    const account = await accountOf()
    const event = await holder()
    const before = account.sequence
    await account.write((t) => writePoints(t, event, pointsOf([]), 1000))
    expect(account.sequence).toBe(before)
    expect(lastDelta(account.db, account.prefix, event)).toBeUndefined()
    expect(await readPoints(account, event, { from: 0, to: 1 })).toMatchObject({ fields: [] })
  })

  it('are removed with their holder, also from disk, without effect on others', async () => {
    const account = await accountOf()
    const kept = await holder()
    const event = await holder('series:note/txt')
    const within = await holder('series:note/txt')
    await call('POST', 'streams', { id: 'doomed', name: 'doomed' })
    await call('PUT', `events/${within}`, { streamIds: ['doomed'] })
    await account.write((t) => writePoints(t, kept, pointsOf(rows(0, 10)), 1000))
    const secrets = ['zebra in the night', 'walrus at the shore']
    for (const [i, one] of [event, within].entries()) {
      for (let n = 0; n < 40; n++) {
        await account.write((t) => writePoints(t, one, pointsOf(rows(n * 9, 10, () => ({ value: secrets[i] as string }))), 1000))
      }
    }
    expect(await textsOnDisk(places.store, secrets)).not.toEqual([])
    const others = (await segments(account.prefix)).filter((key) => !key.includes(event) && !key.includes(within))
    await remove(`events/${event}`)
    await call('DELETE', 'streams/doomed')
    await call('DELETE', 'streams/doomed?mergeEventsWithParent=false')
    expect(lastDelta(account.db, account.prefix, event)).toBeUndefined()
    expect(await readRows(account, event)).toEqual([])
    await node.node.store.series.settled()
    expect(await segments(account.prefix)).toEqual(others)
    expect(await keysIn([nodeKeys.erasingsSeries])).toEqual([])
    expect(await readRows(account, kept)).toEqual(rows(0, 10))
    await node.stop()
    expect(await textsOnDisk(places.store, secrets)).toEqual([])
    await expectSound(places)
    await start()
  })

  it('continue an erasure that a crash interrupted', async () => {
    const account = await accountOf()
    const { prefix } = account
    const event = await holder()
    await account.write((t) => writePoints(t, event, pointsOf(rows(0, 100)), 1000))
    await account.write((t) => writePoints(t, event, pointsOf(rows(200, 20_000)), 1000))
    const epoch = headOf(account.db, prefix, event)?.epoch ?? 0
    await node.stop()
    // Simulates the disk right after the removal.
    const opened = await openStore({ folder: places.store, now: () => 1000 })
    const batch = opened.db.batch()
    batch.delete(accountKeys.series(prefix, event))
    batch.put(nodeKeys.erasingSeries(prefix, event, epoch), '')
    await batch.write({ sync: true })
    await opened.close()
    await expectSound(places)
    await start()
    await node.node.store.series.settled()
    expect((await segments(prefix)).filter((key) => key.includes(event))).toEqual([])
    expect(await keysIn([nodeKeys.erasingsSeries])).toEqual([])
    // New points differ from the erased ones.
    const again = await accountOf()
    await again.write((t) => writePoints(t, event, pointsOf(rows(0, 3)), 1000))
    expect(await readRows(again, event)).toEqual(rows(0, 3))
    await again.write((t) => removePoints(t, event))
    await node.node.store.series.settled()
  })

  it('count as storage of their account until they are removed', async () => {
    const account = await accountOf()
    const event = await holder()
    const used = async (): Promise<number> => {
      await account.db.flush()
      return (await storageUsedOf(account)).dbDocuments
    }
    const before = await used()
    const next = seeded(1)
    const noise = rows(0, 100_000, () => ({ value: next(2 ** 31) / 3 }))
    await account.write((t) => writePoints(t, event, pointsOf(noise), 1000))
    const full = await used()
    expect(full - before).toBeGreaterThan(400_000)
    expect(full - before).toBeLessThan(800_000)
    await remove(`events/${event}`)
    await node.node.store.series.settled()
    expect((await used()) - before).toBeLessThan(20_000)
  })
})
