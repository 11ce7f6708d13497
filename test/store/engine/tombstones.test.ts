/** Tombstones of streams: records, their union, and the listed deletion. */
import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { RecordReader } from '../../../src/store/engine/recordReader.js'
import { tombstoneElement } from '../../../src/store/model/digestElement.js'
import { describeRepository, repositories } from '../repository.js'
import { findTombstone, listDeletion, mergeTombstones, putTombstone, tombstoneElements, tombstoneGeneration, type Tombstone } from '../../../src/store/streams/tombstones.js'

const one: Tombstone = { deleted: 5, roots: ['aa'] }
const two: Tombstone = { deleted: 7, roots: ['aa', 'bb'] }
const listing = (t: RecordReader, account: string): unknown[] =>
  [5, 7].map((deleted) => t.get(accountKeys.streamDeletion(account, deleted, 's')))
const listed = (deleted: number): string => JSON.stringify({ id: 's', deleted })

describeRepository('tombstones', {
  read: ({ store: { db }, account: { prefix } }) => [findTombstone(db, prefix, 's'), ...listing(db, prefix)],
  absent: [undefined, undefined, undefined],
  steps: [
    { write: (t) => putTombstone(t, 's', undefined, one), expected: [one, listed(5), undefined] },
    { write: (t) => putTombstone(t, 's', one, two), expected: [two, undefined, listed(7)] },
    { write: (t) => listDeletion(t, 's', true), expected: [two, undefined, undefined] },
    { write: (t) => listDeletion(t, 's', false), expected: [two, undefined, listed(7)] },
  ],
})

describe('tombstones of a stream', () => {
  const all = repositories()

  it.each([
    [one, one, one],
    [one, two, two],
    [{ deleted: 9, roots: ['cc'] }, one, { deleted: 9, roots: ['aa', 'cc'] }],
    [{ deleted: 1, roots: [] }, one, one],
    [{ deleted: 6, roots: ['bb'] }, { deleted: 6, roots: ['aa'] }, { deleted: 6, roots: ['aa', 'bb'] }],
  ])('merge %j and %j into %j', (a, b, union) => {
    expect(mergeTombstones(a, b)).toEqual(union)
    expect(mergeTombstones(b, a)).toEqual(union)
    expect(mergeTombstones(union, a)).toEqual(union)
  })

  it('are not listed while the stream exists, nor without a deletion', async () => {
    const account = await all.account()
    const read = (t: Transaction): unknown[] => listing(t, t.account)
    const hidden = await account.write((t) => {
      t.put(accountKeys.stream(t.account, 's'), '{}')
      putTombstone(t, 's', undefined, one)
      listDeletion(t, 'never', false)
      return read(t)
    })
    expect(hidden).toEqual([undefined, undefined])
    expect([...(await all.keys()).keys()].some((key) => key.startsWith(accountKeys.streamDeletions(account.prefix)))).toBe(false)
  })

  it('count the initial changes that they cover, and change the digest by the difference', async () => {
    const account = await all.account()
    const counts = await account.write((t) => {
      const before = tombstoneGeneration(t, 's')
      putTombstone(t, 's', undefined, two)
      return [before, tombstoneGeneration(t, 's'), tombstoneGeneration(t, 'other')]
    })
    expect(counts).toEqual([0, 2, 0])
    expect(tombstoneElements('s', undefined, one)).toEqual([tombstoneElement('ss', 5, ['aa'])])
    expect(tombstoneElements('s', one, two)).toEqual([tombstoneElement('ss', 5, ['aa']), tombstoneElement('ss', 7, ['aa', 'bb'])])
  })
})
