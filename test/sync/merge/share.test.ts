/** Writes of a peer within a share, refusals, and removal of items that are no longer shared. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findEvent } from '../../../src/store/events/events.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Event } from '../../../src/store/model/event.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { addStream } from '../../../src/store/streams/streams.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import type { Entry, Outcome } from '../../../src/sync/wire/entry.js'
import { createMerger } from '../../../src/sync/merge/merge.js'
import type { MergeSource } from '../../../src/sync/merge/context.js'
import { changesOfItem } from '../../../src/sync/digest/readItem.js'
import { openTestStore, type TestStore } from '../digest/testStore.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
const recorder = createRecorder({ actor: 'ab'.repeat(16) })
const EVENT = 'cjx0000000000000000000001'
const event = (streamIds: string[], more: Partial<Event> = {}, id = EVENT): Event => ({
  id, streamIds, type: 'note/txt', content: 'a', time: 1, tags: [], ...tracking, ...more,
})
const entryOf = (item: Event): Entry => ({ kind: 'event', id: item.id, changes: [recorder.created({ kind: 'event', item })] })
const streamEntry = (id: string, parentId: string | null): Entry => {
  const item: Stream = { id, name: id, parentId, ...tracking }
  return { kind: 'stream', id, changes: [recorder.created({ kind: 'stream', item })] }
}

let test: TestStore
const from = (grantor: 'us' | 'them'): MergeSource => ({ peer: 3, scope: { is: 'share', streams: ['shared'], direction: 'both', grantor } })
const merge = (entries: Entry[], source: MergeSource): Promise<Outcome[]> =>
  createMerger({
    store: test.store,
    types: { check: (_, content) => (content === 'bad' ? 'It is bad.' : undefined), seriesType: () => undefined },
    keeping: () => ({ deletionMode: 'keep-nothing' }),
    now: () => 5,
    noteMissingFile: () => {},
    mergeAccess: () => ({ is: 'known' }),
    mergeSeries: () => ({ is: 'known' }),
  }).merge(test.account, entries, source)

beforeAll(async () => {
  test = await openTestStore()
  await test.account.write((t) => {
    for (const id of ['shared', 'own']) {
      addStream(test.account, t, test.store.recorder, { id, name: id, parentId: null, ...tracking })
    }
  })
})
afterAll(() => test.end())
const note = (item: string): string | undefined => test.account.db.get(accountKeys.refused(test.account.prefix, 3, item))

describe('a peer of a share', () => {
  it('may write within the share, parents and children in any order, and nothing else', async () => {
    const outcomes = await merge(
      [
        entryOf(event(['below'])),
        streamEntry('below', 'within'),
        streamEntry('within', 'shared'),
        streamEntry('stray', 'own'),
        entryOf(event(['own'], {}, 'cjx0000000000000000000002')),
        entryOf(event(['shared', 'own'], {}, 'cjx0000000000000000000003')),
        { kind: 'profile', id: 'public', modified: 1, registers: [] },
        { kind: 'stream', id: 'own', deleted: 4, roots: [] },
        { kind: 'stream', id: 'shared', deleted: 4, roots: [] },
      ],
      from('us'),
    )
    const reasons = outcomes.map((one) => (one.is === 'refused' ? one.reason : one.is))
    const no = 'out-of-scope'
    expect(reasons).toEqual(['applied', 'applied', 'applied', no, no, no, no, no, no])
    expect(JSON.parse(note('sstray') ?? '')).toMatchObject({ reason: no, at: 5, entry: { kind: 'stream', id: 'stray' } })
    expect(test.account.tree.parent('below')?.id).toBe('within')
  })

  it('may write below a shared stream, even if its edit of that stream is refused', async () => {
    const { account } = test
    const before = account.tree.get('shared') as Stream
    const [first] = changesOfItem(account.db, account.prefix, { kind: 'stream', id: 'shared' }) as [Uint8Array]
    const after = { ...before, parentId: 'own' }
    const { change } = recorder.edited({ kind: 'stream', item: before }, { kind: 'stream', item: after }, { initialChange: () => first })
    const moved: Entry = { kind: 'stream', id: 'shared', changes: [first, change] }
    const outcomes = await merge([moved, streamEntry('beside', 'shared')], from('us'))
    expect(outcomes.map(({ is }) => is)).toEqual(['refused', 'applied'])
    expect(account.tree.parent('beside')?.id).toBe('shared')
  })

  it('may not write into a shared stream that was deleted here, with the stream or without', async () => {
    const absent = (grantor: 'us' | 'them'): MergeSource => ({ peer: 3, scope: { is: 'share', streams: ['absent'], direction: 'both', grantor } })
    const id = 'cjx0000000000000000000014'
    const items = [streamEntry('kept', 'absent'), entryOf(event(['absent'], {}, id)), entryOf(event(['kept', 'absent'], {}, `${id.slice(0, -1)}5`))]
    const stream = streamEntry('absent', null)
    const outcomes = [...(await merge(items, absent('us'))), ...(await merge([stream, ...items], absent('us')))]
    expect(outcomes.map((one) => (one.is === 'refused' ? one.reason : one.is))).toEqual(outcomes.map(() => 'out-of-scope'))
    expect(test.account.tree.has('recovered')).toBe(false)
    // Items that the other side grants are still accepted.
    expect(await merge(items.slice(1, 2), absent('them'))).toEqual([{ is: 'applied' }])
    await merge([stream], absent('them'))
    expect(findEvent(test.account.db, test.account.prefix, id)?.streamIds).toEqual(['absent'])
  })

  it('may withdraw its items, which are then forgotten without a trace', async () => {
    const [refused] = await merge([{ kind: 'event', id: EVENT, withdrawn: true }], from('us'))
    expect(refused?.is).toBe('refused')
    const [done, again] = await merge(
      [
        { kind: 'event', id: EVENT, withdrawn: true },
        { kind: 'event', id: EVENT, withdrawn: true },
      ],
      from('them'),
    )
    expect([done?.is, again?.is]).toEqual(['applied', 'known'])
    expect(test.account.db.get(accountKeys.eventPlace(test.account.prefix, EVENT))).toBeUndefined()
  })

  it('may withdraw items outside of the share alone, which stay here', async () => {
    const { account } = test
    const [inside, outside, absent] = ['cjx0000000000000000000016', 'cjx0000000000000000000017', 'cjx0000000000000000000018']
    await merge([entryOf(event(['shared'], {}, inside)), entryOf(event(['own'], {}, outside))], { peer: 4, scope: { is: 'mirror' } })
    const ids = { event: [inside, outside, absent], stream: ['shared', 'own', 'nowhere'] } as const
    const entries = (['event', 'stream'] as const).flatMap((kind) => ids[kind].map((id): Entry => ({ kind, id, withdrawn: true })))
    const outcomes = await merge(entries, from('us'))
    expect(outcomes.map(({ is }) => is)).toEqual(['refused', 'known', 'known', 'refused', 'known', 'known'])
    expect(findEvent(account.db, account.prefix, outside)?.streamIds).toEqual(['own'])
    expect(account.tree.has('own')).toBe(true)
  })
})

describe('the peer that grants a share', () => {
  const remaining = 'cjx0000000000000000000011'
  const moved = 'cjx0000000000000000000012'
  const roots = ['00'.repeat(32)]

  it('deletes and withdraws items of streams withdrawn before, but not those moved out here', async () => {
    const them = from('them')
    await merge([streamEntry('kid', 'shared'), streamEntry('other', 'kid')], them)
    await merge([entryOf(event(['other'], {}, remaining)), entryOf(event(['own'], {}, moved))], { peer: 4, scope: { is: 'mirror' } })
    const { account } = test
    await account.write((t) => {
      for (const item of ['skid', 'sother', `e${remaining}`, `e${moved}`]) t.put(accountKeys.shared(account.prefix, 3, item), '')
    })
    expect(await merge([{ kind: 'stream', id: 'kid', withdrawn: true }], them)).toEqual([{ is: 'applied' }])
    const outcomes = await merge(
      [
        { kind: 'event', id: remaining, withdrawn: true },
        { kind: 'event', id: moved, withdrawn: true },
        { kind: 'event', id: moved, deleted: 4 },
      ],
      them,
    )
    expect(outcomes.map(({ is }) => is)).toEqual(['applied', 'refused', 'refused'])
    const deletion = { kind: 'stream', id: 'other', deleted: 4, roots } as const
    expect((await merge([deletion], { ...them, peer: 5 }))[0]?.is).toBe('refused')
    expect((await merge([deletion], from('us')))[0]?.is).toBe('refused')
    expect((await merge([deletion], them))[0]?.is).toBe('applied')
  })
})

describe('an event whose stream the granting peer deleted', () => {
  const id = 'cjx0000000000000000000013'

  it('may be moved by that peer, within the share alone, and by no other', async () => {
    const them = from('them')
    const before = event(['gone'], {}, id)
    const first = recorder.created({ kind: 'event', item: before })
    const moved = (streamId: string): Entry => {
      const { change } = recorder.edited({ kind: 'event', item: before }, { kind: 'event', item: { ...before, streamIds: [streamId] } }, { initialChange: () => first })
      return { kind: 'event', id, changes: [change] }
    }
    await merge([streamEntry('gone', 'shared'), { kind: 'event', id, changes: [first] }], them)
    const { account } = test
    await account.write((t) => {
      for (const item of ['sgone', `e${id}`]) t.put(accountKeys.shared(account.prefix, 3, item), '')
    })
    await merge([{ kind: 'stream', id: 'gone', withdrawn: true }], them)
    expect(findEvent(account.db, account.prefix, id)?.streamIds).toEqual(['recovered'])
    expect((await merge([moved('own')], them))[0]?.is).toBe('refused')
    expect((await merge([moved('shared')], { ...them, peer: 5 }))[0]?.is).toBe('refused')
    expect((await merge([moved('shared')], from('us')))[0]?.is).toBe('refused')
    expect((await merge([moved('shared')], them))[0]?.is).toBe('applied')
    expect(findEvent(account.db, account.prefix, id)?.streamIds).toEqual(['shared'])
  })
})

describe('a received item', () => {
  const mirror: MergeSource = { peer: 3, scope: { is: 'mirror' } }

  it('is validated like a local write, and its refusal is removed once it is valid', async () => {
    const id = 'cjx0000000000000000000009'
    const of = async (item: Event): Promise<Outcome | undefined> => (await merge([entryOf(item)], mirror))[0]
    expect(await of(event(['own'], { content: 'bad' }, id))).toEqual({ is: 'refused', reason: 'invalid', message: 'It is bad.' })
    expect(await of(event(['own'], { tags: [' x'] }, id))).toMatchObject({ reason: 'invalid' })
    expect(await of(event([':_system:email'], {}, id))).toMatchObject({ reason: 'invalid' })
    expect(await of(event(['own'], {}, ':_system:language'))).toMatchObject({ reason: 'invalid' })
    expect((await merge([{ kind: 'event', id, changes: [new Uint8Array(30)] }], mirror))[0]).toMatchObject({ reason: 'damaged' })
    expect(note(`e${id}`)).toBeDefined()
    expect(await of(event(['own'], {}, id))).toEqual({ is: 'applied' })
    expect(note(`e${id}`)).toBeUndefined()
  })

  it('is shown in recovered until its stream arrives', async () => {
    const id = 'cjx000000000000000000000a'
    await merge([entryOf(event(['later'], {}, id))], mirror)
    const streamIds = (): string[] | undefined => findEvent({ get: (key) => test.account.db.get(key) }, test.account.prefix, id)?.streamIds
    expect(streamIds()).toEqual(['recovered'])
    await merge([streamEntry('later', null)], mirror)
    expect(streamIds()).toEqual(['later'])
    expect(test.account.mergeState.unplacedEvents.size).toBe(0)
    expect(test.account.mergeState.conflicts.has(`e${id}`)).toBe(false)
  })
})
