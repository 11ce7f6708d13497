/** Counts and latest events of streams. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { yieldEvery } from '../../../src/store/engine/yield.js'
import { addEvent, removeEvent, replaceEvent } from '../../../src/store/events/events.js'
import { countEvents, latestEvent, type StreamStats } from '../../../src/store/events/streamStats.js'
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

  async function count(account: Account): Promise<StreamStats[]> {
    const snapshot = account.db.snapshot()
    const found = await countEvents(account, forest, snapshot, yieldEvery())
    await snapshot.close()
    return found
  }
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
    const events = Array.from({ length: 200 }, (_, n) => event(n, ['r', 'a', 'b', 'c', 'q'].filter(() => roll(3) === 0)))
    await add(account, ...events)
    const naive = (included: readonly Event[]): StreamStats[] =>
      forest.map(({ id }) => ({
        own: included.filter(({ streamIds }) => streamIds.includes(id)).length,
        total: included.filter(({ streamIds }) => streamIds.some((one) => below[id]?.includes(one))).length,
      }))
    expect(await count(account)).toEqual(naive(events))
    expect(await count(other)).toEqual(naive([]))
    await account.write((t) => events.slice(0, 100).forEach((one) => void removeEvent(t, all.store.recorder, one, 9, 'keep-nothing', (included) => included)))
    expect(await count(account)).toEqual(naive(events.slice(100)))
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
  })
})
