import * as Automerge from '@automerge/automerge'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareOpIds, encodeChange, type NewChange, type Operation } from '../../src/sync/crdt/encodeChange.js'
import { parseChange } from '../../src/sync/crdt/parseChange.js'
import { runs } from '../support/oracles/runs.js'

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((some) => Buffer.from(some).toString('hex'))

const actors = ['0'.repeat(32), '0123456789abcdef0123456789abcdef', 'a'.repeat(32), 'f'.repeat(32)]
const opId = fc.record({ counter: fc.integer({ min: 1, max: 3000 }), actor: fc.constantFrom(...actors) })
const pred = fc
  .uniqueArray(opId, { maxLength: 4, selector: ({ counter, actor }) => `${counter}@${actor}` })
  .map((ids) => ids.sort(compareOpIds))
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('x'.repeat(47), 'x'.repeat(48), 'é'.repeat(60), '\0', 'y'.repeat(70_000)),
)
/** Doubles that Automerge's own JSON reader reads exactly: at most 15 digits, no exponent. */
const exactInJson = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => {
  const digits = String(value)
  return digits.length <= 16 && !digits.includes('e') && !Object.is(value, -0)
})
const milliseconds = fc.integer({ min: -4e12, max: 4e12 }).map((ms) => ms / 1000)

const operations = (double: fc.Arbitrary<number>): fc.Arbitrary<Operation[]> => {
  const value = fc.oneof(
    fc.record({ value: fc.oneof(text, double, fc.boolean(), fc.constant(null)) }),
    fc.record({ value: fc.oneof(fc.integer(), fc.maxSafeInteger()), whole: fc.constant(true) }),
    fc.constant({}), // a deletion
  )
  const operation = fc.tuple(text, value, pred).map(([key, set, replaced]) => ({ key, ...set, pred: replaced }))
  return fc.uniqueArray(operation, { maxLength: 12, selector: ({ key }) => key })
}

const changes = (double: fc.Arbitrary<number>): fc.Arbitrary<NewChange> =>
  fc.record({
    actor: fc.constantFrom(...actors),
    seq: fc.integer({ min: 1, max: 100_000 }),
    startOp: fc.integer({ min: 1, max: 1_000_000 }),
    time: fc.oneof(fc.constant(0), fc.integer(), fc.integer({ min: -4e9, max: 4e9 })),
    deps: fc.uniqueArray(hex(32), { maxLength: 3 }).map((hashes) => hashes.sort()),
    message: fc.oneof(fc.constant(''), fc.string({ unit: 'binary', maxLength: 60 })),
    operations: operations(double),
  })

/** Encodes the same change by Automerge. */
function byAutomerge({ operations, deps, message = '', ...change }: NewChange): Uint8Array {
  const ops = operations.map(({ key, value, whole, pred: replaced }): Automerge.DecodedChange['ops'][number] => ({
    action: value === undefined ? 'del' : 'set',
    obj: '_root',
    key,
    pred: replaced.map(({ counter, actor }) => `${counter}@${actor}`),
    ...(value === undefined ? {} : { value: value as string }),
    ...(typeof value === 'number' ? { datatype: whole === true ? 'int' : 'float64' } : {}),
  }))
  return Automerge.encodeChange({ ...change, deps: [...deps], author: null, message: message === '' ? null : message, ops })
}

describe('encodeChange', () => {
  it('writes the same bytes as Automerge', () => {
    fc.assert(
      fc.property(changes(fc.oneof(exactInJson, milliseconds)), (change) => {
        expect(Buffer.from(encodeChange(change).bytes).toString('hex')).toBe(
          Buffer.from(byAutomerge(change)).toString('hex'),
        )
      }),
      { numRuns: runs(500) },
    )
  })

  it('writes every double so that Automerge reads the same one', () => {
    const anyDouble = fc.double().map((value) => (Number.isFinite(value) ? value : 0))
    fc.assert(
      fc.property(changes(anyDouble), (change) => {
        const { bytes, hash } = encodeChange(change)
        const decoded = Automerge.decodeChange(bytes)
        expect(decoded.hash).toBe(hash)
        change.operations.forEach(({ value, whole }, i) => {
          const read: unknown = decoded.ops[i]?.value
          if (typeof value === 'number' && whole !== true) expect(read).toBe(value)
        })
      }),
      { numRuns: runs(250) },
    )
  })
})

describe('parseChange', () => {
  it('returns the same as Automerge', () => {
    fc.assert(
      fc.property(changes(milliseconds), (change) => {
        const { bytes } = encodeChange(change)
        const { hash, actor, seq, startOp, time, deps, message, ops } = Automerge.decodeChange(bytes)
        const { bytes: plain, ...read } = parseChange(bytes)
        expect(read).toEqual({ hash, actor, seq, startOp, time, deps, message: message ?? '', operations: ops.length })
        expect(plain).toBe(bytes)
      }),
      { numRuns: runs(250) },
    )
  })
})
