/** Heads of series, and the keys of their segments. */
import { describe, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { freshPlace, headOf, headToText, mergedPlace, withMerged, type Head } from '../../../src/store/series/head.js'
import { describeRepository } from '../repository.js'

const head: Head = { epoch: 7, fresh: 2, points: 30, merged: { segments: 1, points: 9 }, oldest: 1, next: 3, last: 12.5, stamp: 4, fields: ['value'] }

describeRepository('heads of series', {
  read: ({ store, account }) => [headOf(store.db, account.prefix, 'e1'), headOf(store.db, account.prefix, 'e2')],
  absent: [undefined, undefined],
  steps: [
    { write: (t) => t.put(accountKeys.series(t.account, 'e1'), headToText(head)), expected: [head, undefined] },
    { write: (t) => t.put(accountKeys.series(t.account, 'e1'), headToText(withMerged(head, 2, 40))), expected: [{ ...head, merged: { segments: 3, points: 49 } }, undefined] },
  ],
  remove: (t) => t.delete(accountKeys.series(t.account, 'e1')),
})

describe('keys of segments', () => {
  it.each([[0, 1, 1], [-1.5, 2e9, 35], [12.25, 12.25, 16_384]])('from %d to %d with %d points are read back', (from, to, count) => {
    const merged = accountKeys.points('1', 'e1', 40, from, to, count)
    expect(mergedPlace(merged, accountKeys.pointsOf('1', 'e1', 40))).toEqual({ key: merged, from, to, count })
    const fresh = accountKeys.newPoints('1', 'e1', 40, 99, from, to, count)
    expect(freshPlace(fresh, accountKeys.newPointsOf('1', 'e1', 40))).toEqual({ key: fresh, number: 99, from, to, count })
  })

  it('without a count of merged segments get none', () => {
    const { merged: _, ...uncounted } = head
    expect(withMerged(uncounted, 1, 2)).toBe(uncounted)
  })
})
