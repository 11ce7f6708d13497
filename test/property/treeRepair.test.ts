/** Tree of merged streams, against a naive version that applies one claim after the other. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_STREAM_DEPTH, repairTree, type DeclaredPlace, type EffectivePlace } from '../../src/store/model/treeRepair.js'

/** Applies one claim after the other. */
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
  const effective = new Map<string, EffectivePlace>()
  for (const { id, name } of [...streams].sort(by('created'))) {
    const parentId = parents.get(id) ?? null
    const isTaken = (one: string): boolean => [...effective.values()].some((s) => s.parentId === parentId && s.name === one)
    let free = name
    for (let n = 2; isTaken(free); n++) free = `${name} (${n})`
    effective.set(id, { name: free, parentId })
  }
  return effective
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const declaredPlace = (id: string): fc.Arbitrary<DeclaredPlace> =>
  fc.record({
    id: fc.constant(id),
    name: fc.constantFrom('X', 'Y', 'X (2)'),
    parentId: fc.constantFrom(null, 'gone', ...ids),
    created: fc.integer({ min: 1, max: 3 }),
    modified: fc.integer({ min: 1, max: 4 }),
  })
const streams = fc
  .shuffledSubarray(ids, { minLength: 1 })
  .chain((some) => fc.tuple(...some.map(declaredPlace)))
  .map((list): DeclaredPlace[] => [...list])

const effectivePlaces = (list: readonly DeclaredPlace[]): Map<string, EffectivePlace> => {
  const repaired = repairTree(list)
  return new Map(list.map(({ id, name, parentId }) => [id, repaired.get(id) ?? { name, parentId }]))
}
const sorted = (map: ReadonlyMap<string, EffectivePlace>): unknown => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

describe('repairTree', () => {
  const runs = process.env['LONG'] === undefined ? 1000 : 50_000

  it('equals the naive version, a forest whose siblings have different names', () => {
    fc.assert(
      fc.property(streams, (list) => {
        const effective = effectivePlaces(list)
        expect(sorted(effective)).toEqual(sorted(naive(list)))
        for (const id of effective.keys()) {
          let steps = 0
          for (let at = effective.get(id)?.parentId ?? null; at !== null; at = effective.get(at)?.parentId ?? null) {
            expect(effective.has(at)).toBe(true)
            expect(++steps).toBeLessThan(ids.length)
          }
        }
        const places = [...effective.values()].map(({ name, parentId }) => JSON.stringify([parentId, name]))
        expect(new Set(places).size).toBe(places.length)
      }),
      { numRuns: runs },
    )
  })

  it('is independent of the order of streams, and leaves a sound tree unchanged', () => {
    fc.assert(
      fc.property(
        streams.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, other]) => {
          const effective = effectivePlaces(list)
          expect(sorted(effectivePlaces(other))).toEqual(sorted(effective))
          const again = list.map((stream) => ({ ...stream, ...effective.get(stream.id) }))
          expect(repairTree(again).size).toBe(0)
        },
      ),
      { numRuns: runs },
    )
  })

  it('moves streams that are too deep to the root', () => {
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
