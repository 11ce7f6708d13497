/** The tree that merged streams make, held to a version that makes one claim after the other. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_STREAM_DEPTH, repairTree, type DeclaredPlace, type EffectivePlace } from '../../src/store/model/treeRepair.js'

/** One claim after the other. */
function naive(streams: readonly DeclaredPlace[]): Map<string, EffectivePlace> {
  const parents = new Map<string, string | null>()
  const isAbove = (id: string, of: string | null): boolean => {
    for (let at = of; at !== null; at = parents.get(at) ?? null) if (at === id) return true
    return false
  }
  const by = (key: 'modified' | 'created') => (a: DeclaredPlace, b: DeclaredPlace) => a[key] - b[key] || (a.id < b.id ? -1 : 1)
  for (const { id, parentId } of [...streams].sort(by('modified'))) {
    const isThere = parentId !== null && streams.some((other) => other.id === parentId)
    parents.set(id, isThere && !isAbove(id, parentId) ? parentId : null)
  }
  const shown = new Map<string, EffectivePlace>()
  for (const { id, name } of [...streams].sort(by('created'))) {
    const parentId = parents.get(id) ?? null
    const isTaken = (one: string): boolean => [...shown.values()].some((s) => s.parentId === parentId && s.name === one)
    let free = name
    for (let n = 2; isTaken(free); n++) free = `${name} (${n})`
    shown.set(id, { name: free, parentId })
  }
  return shown
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const said = (id: string): fc.Arbitrary<DeclaredPlace> =>
  fc.record({
    id: fc.constant(id),
    name: fc.constantFrom('X', 'Y', 'X (2)'),
    parentId: fc.constantFrom(null, 'gone', ...ids),
    created: fc.integer({ min: 1, max: 3 }),
    modified: fc.integer({ min: 1, max: 4 }),
  })
const streams = fc
  .shuffledSubarray(ids, { minLength: 1 })
  .chain((some) => fc.tuple(...some.map(said)))
  .map((list): DeclaredPlace[] => [...list])

const shownAll = (list: readonly DeclaredPlace[]): Map<string, EffectivePlace> => {
  const repaired = repairTree(list)
  return new Map(list.map(({ id, name, parentId }) => [id, repaired.get(id) ?? { name, parentId }]))
}
const sorted = (map: ReadonlyMap<string, EffectivePlace>): unknown => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

describe('repairTree', () => {
  const runs = process.env['LONG'] === undefined ? 1000 : 50_000

  it('shows what one claim after the other would, a forest whose siblings have different names', () => {
    fc.assert(
      fc.property(streams, (list) => {
        const shown = shownAll(list)
        expect(sorted(shown)).toEqual(sorted(naive(list)))
        for (const id of shown.keys()) {
          let steps = 0
          for (let at = shown.get(id)?.parentId ?? null; at !== null; at = shown.get(at)?.parentId ?? null) {
            expect(shown.has(at)).toBe(true)
            expect(++steps).toBeLessThan(ids.length)
          }
        }
        const places = [...shown.values()].map(({ name, parentId }) => JSON.stringify([parentId, name]))
        expect(new Set(places).size).toBe(places.length)
      }),
      { numRuns: runs },
    )
  })

  it('does not mind the order of streams, and leaves alone what is sound', () => {
    fc.assert(
      fc.property(
        streams.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, other]) => {
          const shown = shownAll(list)
          expect(sorted(shownAll(other))).toEqual(sorted(shown))
          const again = list.map((stream) => ({ ...stream, ...shown.get(stream.id) }))
          expect(repairTree(again).size).toBe(0)
        },
      ),
      { numRuns: runs },
    )
  })

  it('brings what lies too deep to the top', () => {
    const chain = Array.from({ length: 2 * MAX_STREAM_DEPTH + 5 }, (_, n) => ({
      id: `s${n}`,
      name: `s${n}`,
      parentId: n === 0 ? null : `s${n - 1}`,
      created: n,
      modified: n,
    }))
    const repaired = repairTree(chain)
    expect([...repaired.keys()]).toEqual([`s${MAX_STREAM_DEPTH}`, `s${2 * MAX_STREAM_DEPTH}`])
  })
})
