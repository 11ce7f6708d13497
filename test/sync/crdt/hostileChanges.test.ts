import * as Automerge from '@automerge/automerge'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { materialise } from '../../../src/sync/crdt/document.js'
import { parseChange } from '../../../src/sync/crdt/parseChange.js'
import { fieldsToEvent } from '../../../src/sync/crdt/fields.js'
import { changeOf, signed, unsigned, withChecksum } from '../changes.js'
import { event, HIGH, LOW, node } from '../node.js'
import { runs } from '../../support/oracles/runs.js'

const damaged = expect.objectContaining({ id: 'corrupted-data' }) as Error

describe('hostile bytes', () => {
  const here = node(LOW, { ...event, clientData: { k: null }, duration: 3.5 })
  const fork = node(HIGH, event, here.changes[0])
  const valid = [...here.changes, here.edit({ time: 1, tags: ['x'] }), fork.edit({ time: 2, streamIds: ['b'] })]
  const expected = materialise(valid)
  const at = fc.record({
    which: fc.nat({ max: valid.length - 1 }),
    place: fc.nat({ max: 400 }),
    bit: fc.nat({ max: 7 }),
  })
  const flipped = ({ which, place, bit }: { which: number; place: number; bit: number }): Uint8Array => {
    const change = Uint8Array.from(valid[which] ?? [])
    const byte = place % change.length
    change[byte] = (change[byte] ?? 0) ^ (1 << bit)
    return change
  }

  it('are refused when a bit of a change is flipped', () => {
    fc.assert(
      fc.property(at, (where) => {
        const changes = valid.with(where.which, flipped(where))
        expect(() => materialise(changes)).toThrow(damaged)
        expect(() => parseChange(flipped(where))).toThrow(damaged)
      }),
      { numRuns: runs(500) },
    )
    expect(materialise(valid)).toEqual(expected)
  })

  it('are refused, or decode to valid fields, when their checksum is valid', () => {
    fc.assert(
      fc.property(at, (where) => {
        const changes = valid.with(where.which, withChecksum(flipped(where)))
        try {
          const { fields } = materialise(changes)
          fieldsToEvent('e1', fields)
        } catch (error) {
          expect(error).toEqual(damaged)
        }
      }),
      { numRuns: runs(1000) },
    )
    expect(materialise(valid)).toEqual(expected)
  })

  it('are refused when truncated, extended, or of another kind', () => {
    const [change = new Uint8Array(0)] = valid
    for (let end = 0; end < change.length; end++) expect(() => materialise([change.subarray(0, end)])).toThrow(damaged)
    expect(() => materialise([Uint8Array.from([...change, 0])])).toThrow(damaged)
    expect(() => materialise([Automerge.save(Automerge.init())])).toThrow(damaged)
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void expect(() => materialise([bytes])).toThrow(damaged)))
  })

  const many = signed(2 ** 40)
  // One operation that sets the key "a" to null: a literal run of one is encoded as 0x7f.
  const sound = { key: [0x7f, 1, 0x61], insert: [1], action: [0x7f, 1], type: [0x7f, 0], predCount: [0x7f, 0] }
  const change = ({ predActor = [], predCounter = [], ...replaced }: Partial<Record<string, number[]>>): Uint8Array => {
    const { key, insert, action, type, predCount } = { ...sound, ...replaced }
    const columns = [
      [0x15, key],
      [0x34, insert],
      [0x42, action],
      [0x56, type],
      [0x70, predCount],
      [0x71, predActor],
      [0x73, predCounter],
    ] as const
    return changeOf(columns.filter(([, bytes]) => bytes.length > 0))
  }

  it('are accepted when they claim their real size', () => {
    expect(materialise([change({})]).fields).toEqual({ a: null })
  })

  it.each<[string, Partial<Record<string, number[]>>]>([
    [
      'operations',
      { key: [...many, 1, 0x61], insert: unsigned(2 ** 40), action: [...many, 1], type: [...many, 0], predCount: [...many, 0] },
    ],
    ['keys', { key: [...many, 1, 0x61] }],
    ['nulls', { key: [0, ...unsigned(2 ** 40)] }],
    ['flags', { insert: unsigned(2 ** 40) }],
    [
      'replaced operations',
      { predCount: [0x7f, ...unsigned(2 ** 40)], predActor: [...many, 0], predCounter: [...many, 1] },
    ],
    ['replaced operations, all of them absent,', { predCount: [0x7f, ...unsigned(2 ** 40)] }],
    ['bytes of a value', { type: [0x7f, ...unsigned(1000 * 16 + 6)] }],
  ])('are refused when they claim more %s than they contain', (_, columns) => {
    expect(() => materialise([change(columns)])).toThrow(damaged)
  })

  it('are refused when they claim few enough operations for Automerge to accept them', () => {
    const some = signed(10_000)
    const [key, insert] = [[...some, 1, 0x61], unsigned(10_000)]
    const columns = { key, insert, action: [...some, 1], type: [...some, 0], predCount: [...some, 0] }
    expect(Automerge.decodeChange(change(columns)).ops).toHaveLength(10_000)
    expect(() => materialise([change(columns)])).toThrow(damaged)
  })

  it('are refused when their counters leap', () => {
    const change = Automerge.encodeChange({
      actor: 'aa'.repeat(16),
      author: null,
      seq: 1,
      startOp: 1000,
      time: 0,
      message: null,
      deps: [],
      ops: [{ action: 'set', obj: '_root', key: 'time', value: 1, datatype: 'float64', pred: [] }],
    })
    expect(() => materialise([...valid, change])).toThrow(damaged)
  })

  it('may not name keys that objects inherit', () => {
    const change = Automerge.encodeChange({
      actor: HIGH,
      author: null,
      seq: 1,
      startOp: 1,
      time: 0,
      message: null,
      deps: [],
      ops: [{ action: 'set', obj: '_root', key: '__proto__', value: 'x', pred: [] }],
    })
    const { fields } = materialise([change])
    expect(Object.keys(fields)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
  })
})
