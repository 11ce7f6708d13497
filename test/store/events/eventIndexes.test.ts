/** Indexes of events: the keys of each field, and the total size of attached files. */
import { describe, expect, it } from 'vitest'
import type { Account, Transaction } from '../../../src/store/engine/account.js'
import { accountKeys, ordered } from '../../../src/store/engine/keys.js'
import { eventKeyToText, findEvent, textToEventKey, writeEventIndexes } from '../../../src/store/events/events.js'
import type { Attachment, Event } from '../../../src/store/model/event.js'
import { ATTACHED_FILES } from '../../../src/store/model/systemStreams.js'
import { added, repositories } from '../repository.js'
import { durationBucket } from '../../../src/store/events/eventFilter.js'

const ID = 'cjx0000000000000000000001'
const event: Event = {
  id: ID, streamIds: ['s', 't'], type: 'note/txt', content: 'a', time: 10, duration: 60, tags: [], created: 1, createdBy: 'x', modified: 2, modifiedBy: 'x',
}
const file = (id: string, size: number): Attachment => ({ id, fileName: id, type: 'text/plain', size, integrity: 'x' })
const DIGEST = 'ab'.repeat(32)

describe('indexes of events', () => {
  const all = repositories()
  const write = (t: Transaction, before: Event | undefined, after: Event | undefined, digests?: ReadonlyMap<string, string>): void =>
    void writeEventIndexes(t, before, after, { sequence: 40, digests, now: 50 })

  /** Keys of an event: by place, time, streams, modification and duration. */
  const keysOf = ({ prefix }: Account, { time, streamIds, modified, duration }: Event): string[] =>
    [
      accountKeys.eventPlace(prefix, ID),
      accountKeys.event(prefix, time, ID),
      accountKeys.modified(prefix, modified, ID),
      ...streamIds.map((stream) => accountKeys.streamEvent(prefix, stream, time, ID)),
      ...(duration === undefined ? [] : [accountKeys.period(prefix, durationBucket(duration), time, ID)]),
    ].sort()

  const { duration: _, ...instant } = event
  it.each<[string, Event]>([
    ['nothing', event],
    ['the content', { ...event, content: 'b' }],
    ['the time', { ...event, time: -5 }],
    ['the streams', { ...event, streamIds: ['t', 'u'] }],
    ['the time of modification', { ...event, modified: 7 }],
    ['the duration', { ...event, duration: 1e6 }],
    ['the duration to a running one', { ...event, duration: null }],
    ['the duration to none', instant],
    ['everything', { ...instant, time: 99, streamIds: ['u'], modified: 8 }],
  ])('are updated for a change of %s', async (_changed, after) => {
    const [account, other] = [await all.account(), await all.account()]
    const before = await all.keys()
    await other.write((t) => write(t, undefined, event))
    const others = await all.keys()
    expect(added(before, others)).toEqual(keysOf(other, event))
    await account.write((t) => write(t, undefined, event))
    await account.write((t) => write(t, event, after))
    expect(added(others, await all.keys())).toEqual(keysOf(account, after))
    const { db } = all.store
    expect(findEvent(db, account.prefix, ID)).toEqual(after)
    expect(db.get(accountKeys.modified(account.prefix, after.modified, ID))).toBe(ordered(after.time))
    expect(textToEventKey(db.get(accountKeys.eventPlace(account.prefix, ID)) ?? '')).toEqual({ time: after.time, sequence: 40 })
    await account.write((t) => write(t, after, undefined))
    expect(added(others, await all.keys())).toEqual([accountKeys.eventPlace(account.prefix, ID)])
  })

  it('keep the total size of attached files', async () => {
    const account = await all.account()
    const counter: Event = { ...event, id: ATTACHED_FILES, streamIds: [ATTACHED_FILES], type: 'file-size/bytes', content: 0, time: 1 }
    const digests = new Map([['f1', DIGEST], ['f2', DIGEST]])
    const total = (): unknown => findEvent(all.store.db, account.prefix, ATTACHED_FILES)?.content
    await account.write((t) => write(t, undefined, event))
    expect(total()).toBeUndefined()
    await account.write((t) => write(t, undefined, counter))
    const both = { ...event, attachments: [file('f1', 100), file('f2', 20)] }
    await account.write((t) => write(t, event, both, digests))
    expect(total()).toBe(120)
    const one = { ...event, attachments: [file('f2', 20)] }
    await account.write((t) => write(t, both, one))
    expect([total(), findEvent(all.store.db, account.prefix, ATTACHED_FILES)?.modified]).toEqual([20, 50])
    await account.write((t) => write(t, one, undefined))
    expect(total()).toBe(0)
    await expect(account.write((t) => write(t, undefined, one))).rejects.toThrow('digest')
  })

  it.each([[0, 1], [-1.5, 35], [1e9 + 0.001, 36 ** 5]])('write a place of time %d and sequence %d as text', (time, sequence) => {
    expect(textToEventKey(eventKeyToText(time, sequence))).toEqual({ time, sequence })
  })
})
