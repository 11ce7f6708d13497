/** Rules of deletions: a stream deleted on one node and created again on another, in any order of arrival. */
import { describe, expect, it } from 'vitest'
import type { Stream } from '../../../src/store/model/stream.js'
import { mergeTombstones, type Tombstone } from '../../../src/store/streams/tombstones.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { inOrder, linksOf, type Link } from '../../../src/sync/crdt/links.js'
import { coveredBy, isLaterDeletion, withoutCovered, survivors, tombstoneObjection, withDeletion } from '../../../src/sync/merge/deletion.js'

const recorder = createRecorder({ actor: 'ab'.repeat(16) })
const stream = (name: string): Stream => ({ id: 'diary', name, parentId: null, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' })

/** Returns a stream created, then renamed: two changes, of which the second depends on the first. */
function changesOf(name: string, generation: number): Link[] {
  const before = { kind: 'stream', item: stream(name) } as const
  const first = recorder.created(before, generation)
  const { change } = recorder.edited(before, { kind: 'stream', item: stream(`${name} 2`) }, { initialChange: () => first, generation })
  return inOrder(linksOf([first, change]), () => false) ?? []
}
const rootOf = ([first]: readonly Link[]): string => first?.hash ?? ''
const hashes = (links: readonly Link[]): string[] => links.map(({ hash }) => hash).sort()

const once = changesOf('Diary', 0)
const again = changesOf('Journal', 1)
const deletion: Tombstone = { deleted: 5, roots: [rootOf(once)] }

describe('the deletion of a stream', () => {
  it('covers the initial changes that it names and all that depend on them, and no others', () => {
    expect(once).toHaveLength(2)
    expect(rootOf(once)).not.toBe(rootOf(again))
    expect([...coveredBy(deletion.roots, once)].sort()).toEqual(hashes(once))
    expect(coveredBy(deletion.roots, again).size).toBe(0)
    expect(coveredBy([], once).size).toBe(0)
  })

  it('removes the stream, or keeps the one that was created again', () => {
    expect(withoutCovered(deletion, once)).toEqual({ isCovered: true, left: [] })
    expect(withoutCovered(deletion, again)).toEqual({ isCovered: false, left: again })
    expect(withoutCovered(deletion, [...once, ...again])).toEqual({ isCovered: true, left: again })
    expect(withoutCovered(deletion, [])).toEqual({ isCovered: false, left: [] })
  })

  it('has the same result in any order of arrival of changes and deletions', () => {
    type Arrival = { changes: readonly Link[] } | { deletion: Tombstone }
    const second: Tombstone = { deleted: 9, roots: [rootOf(again)] }
    const third = changesOf('Log', 2)
    const arrivals: Arrival[] = [{ changes: once }, { changes: again }, { changes: third }, { deletion }, { deletion: second }]
    const orders = arrivals.reduce<Arrival[][]>(
      (all, one) => all.flatMap((order) => Array.from({ length: order.length + 1 }, (_, at) => [...order.slice(0, at), one, ...order.slice(at)])),
      [[]],
    )
    expect(orders).toHaveLength(120)
    for (const order of orders) {
      let stored: readonly Link[] = []
      let tombstone: Tombstone | undefined
      for (const arrival of order) {
        if ('changes' in arrival) stored = [...stored, ...survivors(tombstone, arrival.changes)]
        else {
          tombstone = withDeletion(tombstone, arrival.deletion) ?? tombstone
          if (tombstone !== undefined) stored = withoutCovered(tombstone, stored).left
        }
      }
      expect(hashes(stored)).toEqual(hashes(third))
      expect(tombstone).toEqual({ deleted: 9, roots: [rootOf(once), rootOf(again)].sort() })
    }
  })

  it('is known when the tombstone includes it', () => {
    const tombstone = withDeletion(undefined, deletion)
    expect(tombstone).toEqual(deletion)
    expect(withDeletion(tombstone, deletion)).toBeUndefined()
    expect(withDeletion(tombstone, { deleted: 4, roots: [] })).toBeUndefined()
    expect(withDeletion(tombstone, { deleted: 6, roots: [] })).toEqual({ ...deletion, deleted: 6 })
    const other = { deleted: 1, roots: [rootOf(again)] }
    expect(withDeletion(tombstone, other)).toEqual(mergeTombstones(other, deletion))
  })

  it('is refused without a valid time and valid roots', () => {
    expect(tombstoneObjection(deletion)).toBeUndefined()
    expect(tombstoneObjection({ ...deletion, deleted: NaN })).toMatchObject({ reason: 'invalid' })
    expect(tombstoneObjection({ ...deletion, roots: ['x'] })).toMatchObject({ reason: 'invalid' })
    expect(tombstoneObjection({ ...deletion, roots: Array.from({ length: 10_001 }, () => rootOf(once)) })).toMatchObject({ reason: 'invalid' })
  })
})

describe('the deletion of an event', () => {
  it('replaces earlier ones only', () => {
    expect(isLaterDeletion(undefined, 1)).toBe(true)
    expect(isLaterDeletion({ deleted: 1 }, 2)).toBe(true)
    expect(isLaterDeletion({ deleted: 2 }, 2)).toBe(false)
  })
})
