import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Stream, StreamView } from '../../src/store/model/stream.js'
import { createTree } from '../../src/store/model/tree.js'
import { runs } from '../support/oracles/runs.js'

const names = ['a', 'b', 'A', 'é']
const known = ['s0', 's1', 's2', 's3', 's4', 's5', 's6']

const stream = fc
  .record({
    id: fc.constantFrom(...known),
    name: fc.constantFrom(...names),
    parentId: fc.option(fc.constantFrom(...known, 'missing')),
    trashed: fc.boolean(),
  })
  .map(({ trashed, ...rest }): Stream => {
    const tracking = { created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
    return trashed ? { ...rest, ...tracking, trashed: true } : { ...rest, ...tracking }
  })

type Change = { put: Stream } | { remove: string }
const change: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: stream.map((put) => ({ put })), weight: 4 },
  { arbitrary: fc.constantFrom(...known).map((remove) => ({ remove })), weight: 1 },
)

/** Naive tree over a plain list. */
function naiveTree(list: Stream[]) {
  const get = (id: string | null) => list.find((s) => s.id === id)
  const parent = (id: string) => get(get(id)?.parentId ?? null)
  const above = (id: string): Stream[] => {
    const found: Stream[] = []
    for (let p = parent(id); p && p.id !== id && !found.includes(p); p = parent(p.id)) found.push(p)
    return found
  }
  const childrenOf = (id: string | null): Stream[] =>
    list
      .filter((s) => (id === null ? s.parentId === null || !get(s.parentId) : s.parentId === id))
      .sort((x, y) => (x.name === y.name ? (x.id < y.id ? -1 : 1) : x.name < y.name ? -1 : 1))
  const below = (id: string): Stream[] => list.filter((s) => s.id !== id && above(s.id).some((p) => p.id === id))
  /** Returns the stream and its ancestors below the top. */
  const path = (s: Stream, top: string): Stream[] => {
    const chain = [s, ...above(s.id)]
    return chain.slice(0, chain.findIndex((p) => p.id === top))
  }
  const nested = (s: Stream, top: string, include: (s: Stream) => boolean): StreamView => ({
    ...s,
    children: childrenOf(s.id)
      .filter((c) => c.id !== top && include(c))
      .map((c) => nested(c, top, include)),
  })
  return { list, get, parent, above, childrenOf, below, path, nested }
}

const sorted = (streams: Iterable<string>): string[] => [...streams].sort()

describe('tree', () => {
  it('agrees with a plain list after any changes', () => {
    fc.assert(
      fc.property(fc.array(stream, { maxLength: 12 }), fc.array(change, { maxLength: 20 }), (initial, changes) => {
        const tree = createTree(initial)
        const latest = new Map(initial.map((s) => [s.id, s]))
        for (const step of changes) {
          tree.hidden()
          if ('put' in step) {
            tree.put(step.put)
            latest.set(step.put.id, step.put)
          } else {
            tree.remove(step.remove)
            latest.delete(step.remove)
          }
        }
        const naive = naiveTree([...latest.values()])
        expect(tree.size).toBe(latest.size)
        expect(tree.anyTrashed()).toBe(naive.list.some((s) => s.trashed))
        const hidden = naive.list.filter((s) => [s, ...naive.above(s.id)].some((p) => p.trashed))
        expect(sorted(tree.hidden())).toEqual(sorted(hidden.map((s) => s.id)))
        for (const id of [...known, 'missing', null]) {
          expect(tree.childrenOf(id)).toEqual(naive.childrenOf(id))
          for (const name of names) {
            const place = id !== null && naive.get(id) ? id : null
            const siblings = naive.childrenOf(place).filter((s) => s.name === name)
            for (const except of [undefined, ...known]) {
              const candidates = siblings.filter((s) => s.id !== except)
              const found = tree.siblingNamed(id, name, except)
              expect(found === undefined ? candidates.length === 0 : candidates.includes(found)).toBe(true)
            }
          }
        }
        for (const id of [...known, 'missing']) {
          const own = naive.get(id)
          expect(tree.get(id)).toBe(own)
          expect(tree.parent(id)).toBe(naive.parent(id))
          expect([...tree.ancestors(id)]).toEqual(naive.above(id))
          for (const other of known) {
            expect(tree.isUnder(id, other)).toBe(id === other || naive.above(id).some((s) => s.id === other))
          }
          expect(tree.isVisible(id)).toBe(own !== undefined && ![own, ...naive.above(id)].some((s) => s.trashed))
          if (!own) continue
          const all = naive.below(id)
          expect(sorted(tree.subtree(id, { trashed: true }))).toEqual(sorted([id, ...all.map((s) => s.id)]))
          const live = all.filter((s) => !naive.path(s, id).some((p) => p.trashed)).map((s) => s.id)
          expect(sorted(tree.subtree(id, { trashed: false }))).toEqual(own.trashed ? [] : sorted([id, ...live]))
          const unskipped = all.filter((s) => !naive.path(s, id).some((p) => p.name === 'a')).map((s) => s.id)
          const skip = (s: Stream) => s.name === 'a'
          expect(sorted(tree.subtree(id, { trashed: true, skip }))).toEqual(sorted([id, ...unskipped]))
          expect(tree.view(own, { state: 'default' })).toEqual(naive.nested(own, id, (s) => !s.trashed))
          const include = (s: Stream) => s.name !== 'a'
          expect(tree.view(own, { state: 'all' }, include)).toEqual(naive.nested(own, id, include))
        }
      }),
      { numRuns: runs(100) },
    )
  })
})
