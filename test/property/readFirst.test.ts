import * as Automerge from '@automerge/automerge'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeChange, type Operation } from '../../src/sync/crdt/encodeChange.js'
import { decodeInitialChange } from '../../src/sync/crdt/parseChange.js'
import { runs } from '../support/oracles/runs.js'

const ACTOR = '0123456789abcdef0123456789abcdef'

const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constant('x'.repeat(70_000)))
const double = fc.double({ noNaN: true, noDefaultInfinity: true })
const value = fc.oneof(
  fc.record({ value: fc.oneof(text, double, fc.boolean(), fc.constant(null)) }),
  fc.record({ value: fc.oneof(fc.integer(), fc.maxSafeInteger()), whole: fc.constant(true) }),
)
const operations: fc.Arbitrary<Operation[]> = fc.uniqueArray(
  fc.tuple(text, value).map(([key, set]) => ({ key, ...set, pred: [] })),
  { minLength: 1, maxLength: 12, selector: ({ key }) => key },
)

const first = (some: readonly Operation[]): Uint8Array =>
  encodeChange({ actor: ACTOR, seq: 1, startOp: 1, time: 1_600_000_000, deps: [], operations: some }).bytes

/** Returns the document that Automerge makes of a change. */
function decodedByAutomerge(change: Uint8Array): Map<string, unknown> {
  const document = Automerge.getBackend(Automerge.init())
  document.applyChanges([change])
  const found = new Map<string, unknown>()
  for (const key of document.keys('_root')) {
    const [[type, decodedValue] = []] = document.getAll('_root', key)
    found.set(key, type === 'int' ? Number(decodedValue) : decodedValue)
  }
  document.free()
  return found
}

describe('decodeInitialChange', () => {
  it('returns the same fields as Automerge', () => {
    fc.assert(
      fc.property(operations, (some) => {
        const change = first(some)
        const fields = decodeInitialChange(change)
        expect(new Map(fields)).toEqual(decodedByAutomerge(change))
      }),
      { numRuns: runs(150), examples: [[[{ key: '\ufffd', value: 0, whole: true, pred: [] }]]] },
    )
  })

  it('leaves changes that depend on others, delete, or replace to Automerge', () => {
    const some = [{ key: 'a', value: 1, pred: [] }]
    const base = { actor: ACTOR, seq: 1, startOp: 1, time: 0, deps: [] }
    expect(decodeInitialChange(encodeChange({ ...base, deps: ['0'.repeat(64)], operations: some }).bytes)).toBeUndefined()
    expect(decodeInitialChange(encodeChange({ ...base, operations: [{ key: 'a', pred: [] }] }).bytes)).toBeUndefined()
    const replaced = [{ key: 'a', value: 1, pred: [{ counter: 1, actor: ACTOR }] }]
    expect(decodeInitialChange(encodeChange({ ...base, operations: replaced }).bytes)).toBeUndefined()
  })

  it('never differs from Automerge for altered bytes', () => {
    fc.assert(
      fc.property(operations, fc.nat(), fc.integer({ min: 1, max: 255 }), (some, where, flip) => {
        const change = Uint8Array.from(first(some))
        // After the checksum, which Automerge would refuse before it reads.
        const at = 9 + (where % (change.length - 9))
        change[at] = (change[at] ?? 0) ^ flip
        const fields = decodeInitialChange(change)
        if (fields === undefined) return
        const ops = decoded(change)
        if (ops === undefined) return
        expect(fields.map(([key]) => key)).toEqual(ops.map(({ key }) => key))
        expect(ops.every(({ action, pred }) => action === 'set' && pred.length === 0)).toBe(true)
      }),
      { numRuns: runs(250) },
    )
  })
})

function decoded(change: Uint8Array): Automerge.DecodedChange['ops'] | undefined {
  try {
    return Automerge.decodeChange(change).ops
  } catch {
    return undefined
  }
}
