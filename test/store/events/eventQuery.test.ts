import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { addEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { create } from '../../../src/server/api/events/create.js'
import { remove } from '../../../src/server/api/events/delete.js'
import { get } from '../../../src/server/api/events/get.js'
import type { Result } from '../../../src/server/call/method.js'
import { RawList } from '../../../src/server/call/results.js'
import { parseInput } from '../../../src/store/model/validation.js'
import { counted, newCounts, type Counts } from '../../support/store/countingDatabase.js'
import { callBy, newAccount, result } from '../../support/nodes/directCalls.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'

const SIZE = 6000
const SPARSE = 300
const tracking = { created: 1, createdBy: 'p', modifiedBy: 'p' }

/** Event n begins at n; all are in `dense` but every 20th, which is in one of many sparse streams. */
function eventAt(n: number): Event {
  const stream = n % 20 === 0 ? `x${(n / 20) % SPARSE}` : 'dense'
  const type = n === 3 ? 'test/rare' : 'test/name'
  const event: Event = {
    id: `e${n}`,
    streamIds: [stream],
    type,
    time: n,
    content: n,
    tags: [],
    modified: n,
    ...tracking,
  }
  if (n % 500 === 1) event.duration = 10
  if (n % 2000 === 5) event.duration = null
  if (n === 7) event.duration = SIZE
  return event
}

describe('the plan of an event query', () => {
  let node: TestNode
  let account: Account
  beforeAll(async () => {
    node = await startTestNode({}, { clock: { now: () => SIZE } })
    // Plans are for accounts that are not in memory.
    vi.spyOn(node.node.eventPages, 'of').mockReturnValue(undefined)
    const ids = ['dense', ...Array.from({ length: SPARSE }, (_, n) => `x${n}`)]
    account = await newAccount(node.node, ids.map((id) => ({ id, name: id, parentId: null, modified: 1, ...tracking })))
    const writes = Array.from(
      { length: SIZE },
      (_, n) => account.write((t) => addEvent(t, node.node.store.recorder, eventAt(n))),
    )
    await Promise.all(writes)
  })
  afterAll(() => node.stop())

  /** Returns the numbers of the events that a query finds, and counts of what it reads; nothing is remembered for the next one. */
  async function find(query: Record<string, unknown>): Promise<{ found: number[]; counts: Counts }> {
    const counts = newCounts()
    return { found: await findBy(counted(account, counts), counts, query), counts }
  }

  async function findBy(reader: Account, counts: Counts, query: Record<string, unknown>): Promise<number[]> {
    const answer = await result(callBy(node.node, reader, null), get, query)
    if (typeof answer === 'string') throw new Error(answer)
    expect(counts.open).toBe(0)
    return (answer['events'] as Event[]).map(({ content }) => Number(content))
  }

  const numbers = Array.from({ length: SIZE }, (_, n) => n)
  const total = ({ entries, records }: Counts): number => entries + records

  it('reads the newest events by time and nothing else', async () => {
    const { found, counts } = await find({ types: ['test/name'] })
    expect(found).toEqual(numbers.slice(-20).reverse())
    expect(counts.scans).toEqual({ e: 1 })
    // A newer event of another type is among those read.
    expect(total(counts)).toBeLessThanOrEqual(40)
  })

  it.each([true, false])('merges the indexes of sparse streams (ascending: %s)', async (sortAscending) => {
    const one = await find({ streams: ['x7'], sortAscending, limit: 20 })
    expect(one.found).toEqual([140])
    expect(one.counts.scans).toEqual({ e: 1, s: 1 })
    expect(total(one.counts)).toBeLessThan(600)
    const sparse = numbers.filter((n) => n % 20 === 0 && (n / 20) % SPARSE < 250)
    const streams = Array.from({ length: 250 }, (_, n) => `x${n}`)
    const all = await find({ streams, sortAscending, limit: 1000 })
    expect(all.found).toEqual(sortAscending ? sparse : [...sparse].reverse())
    expect(all.counts.scans).toEqual({ e: 1, s: 250 })
    const some = await find({ streams, sortAscending, limit: 30, skip: 100 })
    expect(some.found).toEqual((sortAscending ? sparse : [...sparse].reverse()).slice(100, 130))
  })

  it.each([true, false])('continues exactly where the scan by time ended (ascending: %s)', async (sortAscending) => {
    const streams = Array.from({ length: SPARSE }, (_, n) => `x${n}`)
    for (let shift = 0; shift < 20; shift++) {
      const window = { fromTime: 1000 + shift, toTime: 3000 + shift }
      const { found, counts } = await find({ streams, ...window, sortAscending })
      const expected = numbers.filter((n) => n % 20 === 0 && n >= window.fromTime && n <= window.toTime)
      expect(found).toEqual(sortAscending ? expected : expected.reverse())
      expect(counts.scans['s']).toBe(SPARSE)
    }
  })

  it('remembers that streams are sparse, until it judges them again', async () => {
    const counts = newCounts()
    const reader = counted(account, counts)
    const scans: (typeof counts.scans)[] = []
    for (let n = 0; n < 67; n++) {
      counts.scans = {}
      // Another limit each time, so that no answer is repeated from memory.
      expect(await findBy(reader, counts, { streams: ['x7', 'x8'], limit: 20 + n })).toEqual([160, 140])
      scans.push(counts.scans)
    }
    const [first, ...next] = scans
    expect(first).toEqual({ e: 1, s: 2 })
    expect(next.slice(0, 64)).toEqual(next.slice(0, 64).map(() => ({ s: 2 })))
    expect(next.slice(64)).toEqual([{ e: 1, s: 2 }, { s: 2 }])
  })

  it('remembers nothing of streams when another filter is why few events match', async () => {
    const counts = newCounts()
    const reader = counted(account, counts)
    expect(await findBy(reader, counts, { streams: ['dense'], types: ['test/rare'] })).toEqual([3])
    counts.scans = {}
    expect(await findBy(reader, counts, { streams: ['dense'], limit: 2 })).toEqual(numbers.slice(-2).reverse())
    expect(counts.scans).toEqual({ e: 1 })
  })

  it('finishes a scan by time if most events match', async () => {
    const { found, counts } = await find({ streams: ['dense'], limit: 5000 })
    expect(found).toHaveLength(5000)
    expect(counts.scans).toEqual({ e: 1 })
  })

  it('reads recently changed events alone', async () => {
    const { found, counts } = await find({ modifiedSince: SIZE - 10, limit: 100 })
    expect(found.filter((n) => !Number.isNaN(n))).toEqual(numbers.slice(-9).reverse())
    // Remote arrivals are looked up once per account object; here each query has another one.
    expect(counts.scans).toEqual({ m: 1, received: 1 })
    expect(total(counts)).toBeLessThan(40)
  })

  it('reads running periods alone', async () => {
    const { found, counts } = await find({ running: true })
    expect(found).toEqual([4005, 2005, 5])
    expect(counts.scans).toEqual({ r: 1 })
    expect(total(counts)).toBe(6)
  })

  it('reads events that begin in a window or extend into it', async () => {
    const { found, counts } = await find({ fromTime: 1503, toTime: 1510, types: ['test/name'] })
    expect(found).toEqual([1510, 1509, 1508, 1507, 1506, 1505, 1504, 1503, 1501, 7])
    expect(total(counts)).toBeLessThan(40)
  })

  it('reads the durations of an account once, and knows those of later events', async () => {
    const other = await newAccount(node.node, [{ id: 'a', name: 'a', parentId: null, modified: 1, ...tracking }])
    const counts = newCounts()
    const reader = counted(other, counts)
    const add = (id: number, time: number, duration: number): Promise<unknown> =>
      other.write((t) => addEvent(t, node.node.store.recorder, { ...eventAt(1), id: `p${id}`, streamIds: ['a'], time, content: id, duration }))
    await add(1, 100, 50)
    await add(2, 100, 3000)
    const inWindow = async (limit: number): Promise<number[]> => {
      counts.scans = {}
      return (await findBy(reader, counts, { fromTime: 140, toTime: 145, limit })).sort((a, b) => a - b)
    }
    expect(await inWindow(10)).toEqual([1, 2])
    // Both buckets, the end of the index, and the periods of each.
    expect(counts.scans).toEqual({ e: 1, r: 5 })
    expect(await inWindow(11)).toEqual([1, 2])
    expect(counts.scans).toEqual({ e: 1, r: 2 })
    await add(3, 10, 500)
    expect(await inWindow(12)).toEqual([1, 2, 3])
    expect(counts.scans).toEqual({ e: 1, r: 3 })
  })

  it('skips periods when enough events begin in the window', async () => {
    const { found, counts } = await find({ fromTime: 1000, toTime: 2000, limit: 3 })
    expect(found).toEqual([2000, 1999, 1998])
    expect(counts.scans).toEqual({ e: 1 })
  })

  it('reads nothing when the result must be empty', async () => {
    expect((await find({ limit: 0 })).counts.scans).toEqual({})
    expect((await find({ streams: [] })).counts.scans).toEqual({})
  })

  it('increases its page size during a long search', async () => {
    const { found, counts } = await find({ types: ['test/rare'] })
    expect(found).toEqual([3])
    expect(counts.pages).toBeLessThan(20)
  })

  it.each([
    ['by time', 'e', { fromTime: 0 }],
    ['by time, without finds', 'e', { fromTime: 0, types: ['not/known'] }],
    ['by streams', 's', { streams: ['x1', 'x2', 'x3'], limit: 5000 }],
    ['of running periods', 'r', { running: true, fromTime: 0 }],
    ['of changes', 'm', { modifiedSince: 5000, limit: 5000 }],
    ['of changes, with deletions', 'm', { modifiedSince: 5000, includeDeletions: true, limit: 5000 }],
    ['of periods in progress', 'r', { fromTime: 5000, sortAscending: true }],
  ])('closes all iterators when the reader stops (%s)', async (_, family, query) => {
    const counts = newCounts()
    const answer = (await get.run(
      callBy(node.node, counted(account, counts), null),
      parseInput(get.input, query),
    )) as Result
    const { events } = answer
    if (!(events instanceof RawList)) throw new Error('no list')
    expect(counts.open).toBe(0)
    let wasOpen = 0
    for await (const _ of events.pages) {
      wasOpen = counts.open
      if (family in counts.scans) break
    }
    expect(wasOpen).toBeGreaterThan(0)
    expect(counts.open).toBe(0)
    expect(counts.pages).toBeLessThan(20)
  })

  it('reads one snapshot for a whole response', async () => {
    const call = callBy(node.node, account, null)
    const mine = await newAccount(node.node, [{ id: 'dense', name: 'dense', parentId: null, modified: 1, ...tracking }])
    const owner = { ...call, account: mine }
    const ids = Array.from({ length: 1500 }, (_, n) => `c${'0'.repeat(20)}${1000 + n}`)
    const fields = { streamIds: ['dense'], type: 'test/name', time: 1, trashed: true }
    await Promise.all(ids.map((id) => result(owner, create, { ...fields, id })))
    const query = { modifiedSince: 0, includeDeletions: true, state: 'trashed', fromTime: 0 }
    const { events, eventDeletions } = (await get.run(owner, parseInput(get.input, query))) as Result
    if (!(events instanceof RawList && eventDeletions instanceof RawList)) throw new Error('no lists')
    let found = 0
    for await (const page of events.pages) {
      if (found === 0) await Promise.all(ids.map((id) => result(owner, remove, { id })))
      found += page.length
    }
    expect(found).toBe(1500)
    for await (const page of eventDeletions.pages) expect(page).toEqual([])
    const after = await result(owner, get, query)
    expect(after).toMatchObject({ events: [] })
    expect((after as { eventDeletions: unknown[] }).eventDeletions).toHaveLength(1500)
  })
})
