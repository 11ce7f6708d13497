/** Counts and latest events of streams. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { yieldEvery } from '../../../src/store/engine/yield.js'
import { addEvent, removeEvent, replaceEvent } from '../../../src/store/events/events.js'
import { latestEvent, sumStreams, type StreamStats } from '../../../src/store/events/streamStats.js'
import { createStreamCounter, type StreamCounter } from '../../../src/store/events/streamCounts.js'
import type { Event } from '../../../src/store/model/event.js'
import { dice } from '../../property/merge/copies.js'
import { repositories } from '../repository.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
const event = (n: number, streamIds: string[], patch: Partial<Event> = {}): Event => ({
  id: `cjx0000000000000000000${String(n).padStart(3, '0')}`, streamIds, type: 'note/txt', content: 1, time: n, tags: [], ...tracking, ...patch,
})
// r contains a (with c) and b; q is separate.
const forest = [{ id: 'r' }, { id: 'a', parent: 0 }, { id: 'c', parent: 1 }, { id: 'b', parent: 0 }, { id: 'q' }]
const below: Record<string, string[]> = { r: ['r', 'a', 'b', 'c'], a: ['a', 'c'], c: ['c'], b: ['b'], q: ['q'] }

describe('statistics of streams', () => {
  const all = repositories()
  const add = (account: Account, ...events: Event[]): Promise<void> =>
    account.write((t) => events.forEach((one) => void addEvent(t, all.store.recorder, one)))

  let counter: StreamCounter
  beforeAll(() => {
    counter = createStreamCounter(all.store)
  })
  const count = async (account: Account): Promise<StreamStats[]> => sumStreams(forest, (await counter.of(account)).sets.values())
  async function latest(account: Account, stream: string, most: number, trashed = false): Promise<[number, number[]] | undefined> {
    const snapshot = account.db.snapshot()
    const found = await latestEvent(account, stream, { max: most, trashed }, snapshot, yieldEvery())
    await snapshot.close()
    const time = (record: string): number => (JSON.parse(record) as Event).time
    return found === undefined ? undefined : [time(found.record), found.sameType.map(time)]
  }

  it('count each event once below a stream, equal to counting all events', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const roll = dice(11)
    const events = Array.from({ length: 200 }, (_, n) =>
      event(n, ['r', 'a', 'b', 'c', 'q'].filter(() => roll(3) === 0), roll(4) === 0 ? { trashed: true } : {}))
    await add(account, ...events)
    const numbers = (included: readonly Event[]): StreamStats['own'] => ({
      live: included.filter(({ trashed }) => trashed !== true).length,
      trashed: included.filter(({ trashed }) => trashed === true).length,
    })
    const naive = (included: readonly Event[]): StreamStats[] =>
      forest.map(({ id }) => ({
        own: numbers(included.filter(({ streamIds }) => streamIds.includes(id))),
        total: numbers(included.filter(({ streamIds }) => streamIds.some((one) => below[id]?.includes(one)))),
      }))
    expect(await count(account)).toEqual(naive(events))
    expect(await count(other)).toEqual(naive([]))
    await account.write((t) => events.slice(0, 100).forEach((one) => void removeEvent(t, all.store.recorder, one, 9, 'keep-nothing', (included) => included)))
    expect(await count(account)).toEqual(naive(events.slice(100)))
    // Another counter counts the records again.
    const again = createStreamCounter(all.store)
    expect(sumStreams(forest, (await again.of(account)).sets.values())).toEqual(naive(events.slice(100)))
  })

  it('stay exact while events are written during the first count', async () => {
    const account = await all.account()
    const roll = dice(5)
    let next = 0
    const write = (): Promise<void> => add(account, event(next++, [['a', 'b', 'q'][roll(3)] ?? 'a']))
    for (let n = 0; n < 50; n++) await write()
    const fresh = createStreamCounter(all.store)
    const writing = Promise.all(Array.from({ length: 100 }, write))
    await fresh.of(account)
    await writing
    const [exact, followed] = [createStreamCounter(all.store), await fresh.of(account, ['a', 'b', 'q'])]
    const recounted = await exact.of(account)
    expect(new Map(followed.sets)).toEqual(new Map(recounted.sets))
    expect(new Map(followed.latest)).toEqual(new Map(recounted.latest))
  })

  it('forget the least recently used accounts beyond their capacity', async () => {
    const [one, two] = [await all.account(), await all.account()]
    await add(one, event(1, ['a']))
    await add(two, event(1, ['b']))
    const small = createStreamCounter({ follow: (listener) => all.store.follow(listener), capacity: 3 })
    const first = await small.of(one)
    expect(await small.of(one)).toBe(first)
    await small.of(two)
    expect(await small.of(one)).not.toBe(first)
  })

  it('find the latest event with others of its type, trashed ones on request', async () => {
    const account = await all.account()
    expect(await latest(account, 'a', 3)).toBeUndefined()
    await add(account, event(1, ['a']), event(2, ['a'], { type: 'mass/kg' }), event(3, ['a', 'b']), event(4, ['a'], { trashed: true }), event(5, ['b'], { type: 'mass/kg' }))
    expect(await latest(account, 'a', 3)).toEqual([3, [3, 1]])
    expect(await latest(account, 'a', 1)).toEqual([3, [3]])
    expect(await latest(account, 'a', 3, true)).toEqual([4, [4, 3, 1]])
    expect(await latest(account, 'b', 3)).toEqual([5, [5]])
    expect(await latest(account, 'c', 3)).toBeUndefined()
    await account.write((t) => void replaceEvent(t, all.store.recorder, event(1, ['a']), event(1, ['a'], { time: 9 })))
    expect(await latest(account, 'a', 3)).toEqual([9, [9, 3]])
    const shown = async (stream: string): Promise<number | undefined> => (await counter.of(account, [stream])).latest.get(stream)?.time
    expect([await shown('a'), await shown('b'), await shown('c')]).toEqual([9, 5, undefined])
    await account.write((t) => void replaceEvent(t, all.store.recorder, event(1, ['a'], { time: 9 }), event(1, ['a'], { time: 9, trashed: true })))
    await add(account, event(6, ['c']))
    expect([await shown('a'), await shown('b'), await shown('c')]).toEqual([3, 5, 6])
  })
})
