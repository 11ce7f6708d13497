/** Streams in the store, and their deletions. */
import { describe, expect, it } from 'vitest'
import type { Account, Transaction } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { isReservedStream } from '../../../src/store/model/cmc.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { addStream, removeFromTree, removeStream, replaceStream, sequenceAt, streamDeletionsSince } from '../../../src/store/streams/streams.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'
import { findTombstone } from '../../../src/store/streams/tombstones.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
const heart: Stream = { id: 's', name: 'Heart', parentId: null, ...tracking }
const renamed: Stream = { ...heart, name: 'Pulse', modified: 2 }

const replace = (t: Transaction, { store, account }: TestAccount, patch: Partial<Stream>): void => {
  const before = account.tree.get('s')
  if (before !== undefined) replaceStream(account, t, store.recorder, before, { ...before, ...patch })
}

describeRepository('streams', {
  read: async ({ store: { db }, account }) => ({
    tree: [...account.tree.all()].filter(({ id }) => !isReservedStream(id)),
    record: db.get(accountKeys.stream(account.prefix, 's')),
    isPlaced: sequenceAt({ account: account.prefix, get: (key: string) => db.get(key) } as Transaction, 's') > 0,
    deletions: await streamDeletionsSince(account, 0),
  }),
  absent: { tree: [], record: undefined, isPlaced: false, deletions: [] },
  steps: [
    {
      write: (t, { store, account }) => void addStream(account, t, store.recorder, heart),
      expected: { tree: [heart], record: JSON.stringify(heart), isPlaced: true, deletions: [] },
    },
    {
      write: (t, place) => replace(t, place, { name: 'Pulse', modified: 2 }),
      expected: { tree: [renamed], record: JSON.stringify(renamed), isPlaced: true, deletions: [] },
    },
  ],
  remove: (t, { store, account }) => removeStream(account, t, store.recorder, 's', 5),
  removed: { tree: [], record: undefined, isPlaced: false, deletions: [{ id: 's', deleted: 5 }] },
  remainingKeys: (account) => [accountKeys.tombstone(account, 's'), accountKeys.streamDeletion(account, 5, 's')],
})

describeRepository('streams that are no longer shared', {
  read: ({ account }) => account.tree.has('s'),
  absent: false,
  steps: [{ write: (t, { store, account }) => void addStream(account, t, store.recorder, heart), expected: true }],
  remove: (t, { account }) => void removeFromTree(account, t, 's', 5),
})

describe('deletions of streams', () => {
  const all = repositories()

  const edit = (account: Account, ...steps: ('add' | 'edit' | number)[]): Promise<void> =>
    steps.reduce(async (before, step) => {
      await before
      await account.write((t) => {
        if (step === 'add') addStream(account, t, all.store.recorder, heart)
        else if (step === 'edit') replace(t, { store: all.store, account }, { name: `Pulse ${account.sequence}` })
        else removeStream(account, t, all.store.recorder, 's', step)
      })
    }, Promise.resolve())

  it.each([
    [['add'], undefined, []],
    [['add', 5], [5, 1], [5]],
    [['add', 'edit', 'edit', 5], [5, 1], [5]],
    [['add', 5, 'add'], [5, 1], []],
    [['add', 5, 'add', 'edit', 7], [7, 2], [7]],
    // The clock was set back between two deletions.
    [['add', 7, 'add', 5], [7, 2], [7]],
  ] as const)('after %j', async (steps, tombstone, deletions) => {
    const account = await all.account()
    await edit(account, ...steps)
    const found = findTombstone(all.store.db, account.prefix, 's')
    expect(found === undefined ? undefined : [found.deleted, found.roots.length]).toEqual(tombstone)
    expect((await streamDeletionsSince(account, 0)).map(({ deleted }) => deleted)).toEqual(deletions)
    expect([...(found?.roots ?? [])].sort()).toEqual(found?.roots ?? [])
  })

  it('are listed after a time, the latest first', async () => {
    const account = await all.account()
    for (const [i, id] of ['a', 'b', 'c'].entries()) {
      await account.write((t) => {
        addStream(account, t, all.store.recorder, { ...heart, id, name: id })
        removeStream(account, t, all.store.recorder, id, 10 + i)
      })
    }
    const since = async (time: number): Promise<string> => (await streamDeletionsSince(account, time)).map(({ id }) => id).join('')
    expect([await since(0), await since(10), await since(11.5), await since(12)]).toEqual(['cba', 'cb', 'c', ''])
  })

  it('have distinct initial changes: a stream created again begins another', async () => {
    const [one, other] = [await all.account(), await all.account()]
    await edit(one, 'add', 5, 'add', 5)
    await edit(other, 'add', 5)
    const roots = (account: Account): readonly string[] => findTombstone(all.store.db, account.prefix, 's')?.roots ?? []
    expect(new Set(roots(one)).size).toBe(2)
    expect(roots(one)).toContain(roots(other)[0])
  })
})
