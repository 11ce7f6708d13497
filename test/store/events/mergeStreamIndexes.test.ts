/** Merged events of several streams. */
import { describe, expect, it } from 'vitest'
import { END } from '../../../src/store/engine/keys.js'
import { yieldEvery } from '../../../src/store/engine/yield.js'
import type { Account } from '../../../src/store/engine/account.js'
import { addEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { recordType } from '../../../src/store/model/eventRecord.js'
import { dice } from '../../property/merge/copies.js'
import { repositories } from '../repository.js'
import { mergeStreams } from '../../../src/store/events/mergeSorted.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }

describe('events of several streams', () => {
  const all = repositories()

  async function merged(account: Account, streams: string[], ascending: boolean, keep: (record: string) => boolean = () => true, types?: (type: string) => boolean): Promise<string[]> {
    const snapshot = account.db.snapshot()
    const found: string[] = []
    const order = { ascending, wanted: 10, ...(types === undefined ? {} : { types }) }
    for await (const page of mergeStreams(account, new Set(streams), { from: '', exclusive: false, before: END }, order, keep, { snapshot, pause: yieldEvery() })) {
      found.push(...page.map((record) => (JSON.parse(record) as Event).id))
    }
    await snapshot.close()
    return found
  }

  it('are read by time and id, each once, equal to sorting all events', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const roll = dice(3)
    const events = Array.from({ length: 300 }, (_, i): Event => ({
      id: `cjx0000000000000000000${String(i).padStart(3, '0')}`,
      streamIds: [...new Set(['a', 'b', 'c', 'd'].filter(() => roll(3) === 0))],
      type: roll(2) === 0 ? 'note/txt' : 'mass/kg',
      content: 1,
      time: roll(40) - 20,
      tags: [],
      ...tracking,
    }))
    await account.write((t) => events.forEach((event) => void addEvent(t, all.store.recorder, event)))
    const expected = (streams: string[], type?: string): string[] =>
      events
        .filter(({ streamIds, type: own }) => streamIds.some((id) => streams.includes(id)) && (type === undefined || own === type))
        .sort((one, two) => one.time - two.time || (one.id < two.id ? -1 : 1))
        .map(({ id }) => id)
    for (const streams of [[], ['a'], ['a', 'b'], ['d', 'c', 'b', 'a'], ['a', 'gone']]) {
      expect(await merged(account, streams, true)).toEqual(expected(streams))
      expect(await merged(account, streams, false)).toEqual(expected(streams).reverse())
      expect(await merged(account, streams, true, (record) => recordType(record) === 'mass/kg')).toEqual(expected(streams, 'mass/kg'))
      expect(await merged(account, streams, true, () => true, (type) => type === 'mass/kg')).toEqual(expected(streams, 'mass/kg'))
      expect(await merged(other, streams, true)).toEqual([])
    }
  })
})
