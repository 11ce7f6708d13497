import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { putAccess, removeAccess } from '../../../src/store/accesses/accesses.js'
import { addEvent } from '../../../src/store/events/events.js'
import { findTombstone } from '../../../src/store/streams/tombstones.js'
import { MARKER } from '../../../src/store/model/delegation.js'
import { itemHash } from '../../../src/store/model/digestElement.js'
import type { Access } from '../../../src/store/model/access.js'
import { Secret } from '../../../src/store/model/secret.js'
import { removePoints, writePoints } from '../../../src/store/series/series.js'
import { materialise } from '../../../src/sync/crdt/document.js'
import { readItem, readItems, readVersionVector } from '../../../src/sync/digest/readItem.js'
import type { ChangesEntry, Entry, ItemRef, SeriesEntry } from '../../../src/sync/wire/entry.js'
import { managedKinds } from '../../support/people/delegatedAccess.js'
import { deleteEvent, deleteStream, newEvent, writeEvent, writeProfile, writeStream } from './items.js'
import { openTestStore, type TestStore } from './testStore.js'

let test: TestStore
beforeEach(async () => {
  test = await openTestStore()
})
afterEach(() => test.end())

const read = (kind: ItemRef['kind'], id: string): Promise<Entry[]> => readItem(test.store, test.account, { kind, id })

/** Expects that the stored digest is that of the items, with accesses and series. */
async function expectSoundState(): Promise<void> {
  const state = await test.keeper.of(test.account)
  expect(await state.verify()).toMatchObject({ sound: true })
}

const access = (id: string, type: Access['type']): Access => ({
  id,
  type,
  name: id,
  created: 1,
  createdBy: 'a',
  modified: 1,
  modifiedBy: 'a',
})

describe('reading items for a peer', () => {
  it('returns the changes of documents, oldest first', async () => {
    const { store, account } = test
    for (const content of ['one', 'two', 'three']) await writeEvent(store, account, 'e', content)
    const [entry] = (await read('event', 'e')) as ChangesEntry[]
    expect(entry?.changes).toHaveLength(3)
    expect(entry).not.toHaveProperty('files')
    const merged = materialise(entry?.changes ?? [])
    expect(merged.missing).toEqual([])
    // Each change depends on those before it.
    expect(materialise(entry?.changes.slice(0, 2) ?? []).missing).toEqual([])
    await writeStream(store, account, 's')
    await writeProfile(account, 'public', 1)
    expect(await read('stream', 's')).toMatchObject([{ kind: 'stream', id: 's', changes: [expect.anything()] }])
    expect(await read('profile', 'public')).toMatchObject([{ kind: 'profile', id: 'public', registers: [{ key: expect.anything() as string }, { key: expect.anything() as string }] }])
    expect(await readItems(store, account, [{ kind: 'event', id: 'e' }, { kind: 'event', id: 'none' }])).toEqual([[entry], []])
  })

  it('returns deletions, and the tombstone of a stream that was created again', async () => {
    const { store, account } = test
    await writeEvent(store, account, 'e', 1)
    await deleteEvent(account, 'e', 5)
    expect(await read('event', 'e')).toEqual([{ kind: 'event', id: 'e', deleted: 5 }])
    await writeStream(store, account, 's')
    await deleteStream(store, account, 's', 6)
    const tombstone = { kind: 'stream', id: 's', ...findTombstone(store.db, account.prefix, 's') }
    expect(tombstone).toMatchObject({ deleted: 6, roots: [expect.any(String)] })
    expect(await read('stream', 's')).toEqual([tombstone])
    await writeStream(store, account, 's')
    expect(await read('stream', 's')).toMatchObject([tombstone, { changes: [expect.anything()] }])
  })

  it('returns the digests of files', async () => {
    const { store, account } = test
    const file = { id: 'f', fileName: 'a', type: 'b', size: 1 }
    const event = { ...newEvent('e'), attachments: [file] }
    await account.write((t) => addEvent(t, store.recorder, event, new Map([['f', 'ab12']])))
    expect(await read('event', 'e')).toMatchObject([{ files: new Map([['f', 'ab12']]) }])
  })

  it('returns accesses and their deletions with tokens, without node-local ones', async () => {
    const { store, account } = test
    const state = await test.keeper.of(account)
    const before = (await state.digest()).state
    await account.write((t) => putAccess(t, store.seal, access('p', 'personal'), new Secret('tp')))
    expect(await read('access', 'p')).toEqual([])
    for (const kind of managedKinds) {
      const clientData = { [MARKER]: { kind, relId: 'r', delegate: { username: 'eve01', hostSlug: 'example-org' } } }
      const managed: Access = { ...access(kind, kind === 'delegate-pat' ? 'personal' : 'shared'), clientData }
      const live = { access: managed, token: new Secret(`t-${kind}`) }
      await account.write((t) => putAccess(t, store.seal, managed, live.token))
      expect(await read('access', kind)).toEqual([])
      await account.write((t) => removeAccess(t, store.seal, live, { ...managed, deleted: 9 }))
      expect(await read('access', kind)).toEqual([])
    }
    await expectSoundState()
    expect((await state.read(0, 20)).entries).toEqual([])
    expect((await state.digest()).state).toEqual(before)
    await account.write((t) => putAccess(t, store.seal, access('a', 'app'), new Secret('ta')))
    const [live] = await read('access', 'a')
    expect(live).toMatchObject({ kind: 'access', id: 'a', access: access('a', 'app') })
    expect((live as { token: Secret<string> }).token.reveal()).toBe('ta')
    await expectSoundState()
    const record = { access: access('a', 'app'), token: new Secret('ta') }
    await account.write((t) => removeAccess(t, store.seal, record, { ...record.access, deleted: 9 }))
    expect(await read('access', 'a')).toMatchObject([{ access: { deleted: 9 } }])
    await expectSoundState()
    const digits = itemHash('aa').toString(16).padStart(8, '0').slice(0, 4)
    expect(await state.items(digits)).toMatchObject([{ item: { kind: 'access', id: 'a' } }])
    const { entries } = await state.read(0, 10)
    expect(entries.map(({ kind, action, id }) => `${kind} ${action} ${id}`)).toEqual(['access create a', 'access delete a'])
  })

  it('returns the points of series after given versions', async () => {
    const { store, account } = test
    const points = (deltaTime: number) => ({
      deltaTimes: Float64Array.of(deltaTime),
      columns: new Map([['value', { kind: 'number' as const, values: Float64Array.of(1) }]]),
    })
    const state = await test.keeper.of(account)
    await account.write((t) => addEvent(t, store.recorder, { ...newEvent('h'), type: 'series:mass/kg', content: { elementType: 'mass/kg' } }))
    await account.write((t) => writePoints(t, 'h', points(1), 100))
    const reaches = await readVersionVector(account, 'h')
    await account.write((t) => writePoints(t, 'h', points(2), 101))
    const all = (await read('series', 'h')) as SeriesEntry[]
    expect(all.at(-1)?.upTo).toBe([...(await readVersionVector(account, 'h')).values()][0])
    const rest = (await readItem(store, account, { kind: 'series', id: 'h' }, reaches)) as SeriesEntry[]
    expect(rest).toMatchObject([{ after: [...reaches.values()][0], upTo: 101e6 }])
    await expectSoundState()
    await account.write((t) => removePoints(t, 'h'))
    expect(await read('series', 'h')).toEqual([])
    expect(await state.verify()).toMatchObject({ sound: true })
  })
})
