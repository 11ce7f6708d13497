/** Events in the store: records, deletions, stored versions. */
import { describe, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { readerOf } from '../../../src/store/engine/recordReader.js'
import {
  addEvent,
  appendVersion,
  eraseVersions,
  findDeletion,
  findEvent,
  findRecord,
  isEventIdTaken,
  placeOf,
  putDeletion,
  putVersions,
  readStoredVersions,
  recordKeyOf,
  removeEvent,
  replaceEvent,
  type DeletionMode,
} from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { describeRepository, repositories } from '../repository.js'

const ID = 'cjx0000000000000000000001'
const event: Event = {
  id: ID, streamIds: ['s'], type: 'note/txt', content: 'first', time: 10, duration: 60, tags: ['a'], created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x',
}
const moved: Event = { ...event, streamIds: ['t'], content: 'second', time: 20, duration: null, modified: 2, modifiedBy: 'y' }
const same = <E>(remaining: E): E => remaining

describeRepository('events', {
  read({ store: { db }, account: { prefix } }) {
    const reader = readerOf(db)
    return {
      found: findEvent(reader, prefix, ID),
      hasRecord: findRecord(reader, prefix, ID) !== undefined,
      key: recordKeyOf(reader, prefix, ID)?.key.slice(prefix.length),
      deletion: findDeletion(reader, prefix, ID),
      taken: isEventIdTaken(reader, prefix, ID),
    }
  },
  absent: { found: undefined, hasRecord: false, key: undefined, deletion: undefined, taken: false },
  steps: [
    {
      write: (t, { store }) => void addEvent(t, store.recorder, event),
      expected: { found: event, hasRecord: true, key: accountKeys.event('', 10, ID), deletion: undefined, taken: true },
    },
    {
      write: (t, { store }) => void replaceEvent(t, store.recorder, event, moved),
      expected: { found: moved, hasRecord: true, key: accountKeys.event('', 20, ID), deletion: undefined, taken: true },
    },
  ],
  remove: (t, { store }) => void removeEvent(t, store.recorder, moved, 30, 'keep-nothing', same),
  removed: { found: undefined, hasRecord: false, key: undefined, deletion: { id: ID, deleted: 30 }, taken: true },
  remainingKeys: (account) => [accountKeys.eventPlace(account, ID), accountKeys.eventDeletion(account, 30, ID)].sort(),
})

describe('deleted events', () => {
  const all = repositories()

  it.each<[DeletionMode, object, object[]]>([
    ['keep-nothing', {}, []],
    ['keep-authors', { modified: 2, modifiedBy: 'y' }, [{ id: ID, modified: 1, modifiedBy: 'x' }]],
    ['keep-everything', moved, [event]],
  ])('with %s store the remains of the event and its versions accordingly', async (mode, remaining, versions) => {
    const account = await all.account()
    const { db, recorder } = all.store
    await account.write((t) => void addEvent(t, recorder, event))
    await account.write((t) => void replaceEvent(t, recorder, event, moved))
    await account.write((t) => void removeEvent(t, recorder, moved, 30, mode, same))
    expect(findDeletion(db, account.prefix, ID)).toEqual({ ...remaining, id: ID, deleted: 30 })
    const stored = readStoredVersions(db, account.prefix, ID) as Partial<Event>[]
    expect(stored).toMatchObject(versions)
    expect(stored).toHaveLength(versions.length)
  })

  it('are listed once, at the time of the latest deletion', async () => {
    const account = await all.account()
    const before = await all.keys()
    await account.write((t) => putDeletion(t, { id: ID, deleted: 5 }))
    await account.write((t) => putDeletion(t, { id: ID, deleted: 8 }, { id: ID, deleted: 5 }))
    const { prefix } = account
    expect(findDeletion(all.store.db, prefix, ID)).toEqual({ id: ID, deleted: 8 })
    const added = [...(await all.keys()).keys()].filter((key) => !before.has(key)).sort()
    expect(added).toEqual([accountKeys.eventPlace(prefix, ID), accountKeys.eventDeletion(prefix, 8, ID)].sort())
  })
})

describe('stored versions', () => {
  const all = repositories()

  it('are read in order, and erased in any number', async () => {
    const account = await all.account()
    const { db } = all.store
    expect(readStoredVersions(db, account.prefix, ID)).toEqual([])
    const before = await all.keys()
    for (let n = 1; n <= 21; n++) await account.write((t) => appendVersion(t, { id: ID, modified: n }))
    expect(readStoredVersions(db, account.prefix, ID)).toEqual(Array.from({ length: 21 }, (_, i) => ({ id: ID, modified: i + 1 })))
    expect(readStoredVersions(db, account.prefix, 'cjx0000000000000000000002')).toEqual([])
    await account.write((t) => eraseVersions(t, ID))
    expect(await all.keys()).toEqual(before)
  })

  it('of a live event become its changes, in one transaction or several', async () => {
    const { db, recorder } = all.store
    const versions = ['one', 'two', 'three'].map((content, i) => ({ event: { ...event, content, modified: i }, isStamped: false }))
    for (const calls of [[3], [1, 2], [1, 1, 1]]) {
      const account = await all.account()
      const current = { ...event, content: 'four', modified: 9 }
      await account.write((t) => void addEvent(t, recorder, current))
      let at = 0
      for (const [i, count] of calls.entries()) {
        const part = versions.slice(at, at + count)
        const former = versions[at - 1]
        await account.write((t) => putVersions(t, recorder, ID, { former, versions: part, isLast: i === calls.length - 1 }))
        at += count
      }
      expect(findEvent(db, account.prefix, ID)).toEqual(current)
      expect(await account.write((t) => placeOf(t, ID).time)).toBe(10)
      await account.write((t) => void removeEvent(t, recorder, current, 30, 'keep-everything', same))
      const stored = readStoredVersions(db, account.prefix, ID) as Event[]
      expect(stored.map(({ content }) => content)).toEqual(['one', 'two', 'three'])
    }
  })
})
