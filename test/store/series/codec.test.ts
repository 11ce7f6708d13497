/** Segments decode to exactly their input, and invalid bytes are refused. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32c } from '../../../src/store/leveldb/encodings.js'
import type { Column } from '../../../src/store/model/points.js'
import { SegmentDamaged } from '../../../src/store/series/bytes.js'
import { decodeSegment, encodeSegment, encodeUnstamped, stamped, type Segment } from '../../../src/store/series/segment.js'
import { seeded } from '../leveldb/fixtures.js'
import { runs } from '../../support/oracles/runs.js'

const stamps = [{ time: 1_700_000_000_123_456, actor: 'a1b2c3d4' }]

function segment(values: readonly number[], more: Record<string, Column> = {}): Segment {
  const columns = new Map<string, Column>([['value', { kind: 'number', values: Float64Array.from(values) }]])
  for (const [name, column] of Object.entries(more)) columns.set(name, column)
  return { deltaTimes: Float64Array.from(values, (_, i) => i), columns, stamps }
}

/** Returns a segment as plain values, to compare bit for bit. */
function plain({ deltaTimes, columns, stamps: of, stampOf }: Segment): unknown {
  const lists = [...columns].map(([name, column]) => [name, column.kind, column.kind === 'null' ? [] : [...column.values]])
  return { deltaTimes: [...deltaTimes], lists, stamps: [...deltaTimes].map((_, i) => of[stampOf?.[i] ?? 0]) }
}

function roundTrip(one: Segment): void {
  const bytes = encodeSegment(one)
  expect(plain(decodeSegment(bytes))).toEqual(plain(one))
  const [stamp] = one.stamps
  if (one.stampOf === undefined && stamp !== undefined) expect(stamped(encodeUnstamped(one), stamp)).toEqual(bytes)
}

const odd = [0, -0, 0.1, 72.4, -1.5, 1e308, -1e308, 5e-324, 2 ** -1022, 0.1 + 0.2, 1 / 3, 2 ** 53 - 1, 2 ** 53, 1e15 + 0.5, NaN]
const decimal = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 9 })).map(([n, p]) => n / 10 ** p)
const number = fc.oneof(fc.double(), fc.constantFrom(...odd), decimal, fc.integer(), fc.float())
/** Values of one kind each, as in columns, and of all kinds. */
const numbers = fc.oneof(
  ...[number, decimal, fc.double(), fc.float(), fc.double({ min: 0, max: 1 }), fc.integer({ min: -5, max: 5 })].map((one) =>
    fc.array(one, { minLength: 1, maxLength: 300 }),
  ),
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '😀', 'a\ud83d', '\ude00b', '\u0000', 'x'.repeat(700)),
  fc.string({ unit: 'grapheme' }),
)

describe('a segment', () => {
  it('round-trips every number', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const known = values.some((value) => !Number.isNaN(value))
        if (known) roundTrip(segment(values))
        else expect(decodeSegment(encodeSegment(segment(values))).columns.size).toBe(0)
      }),
      { numRuns: runs(300) },
    )
  })

  it('round-trips every deltaTime', () => {
    const ascending = fc
      .array(fc.oneof(decimal, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 0 })), { minLength: 1 })
      .map((all) => Float64Array.from(new Set(all.map((one) => Math.abs(one)))).sort())
    fc.assert(
      fc.property(ascending, (deltaTimes) => {
        roundTrip({ deltaTimes, columns: new Map(), stamps })
      }),
      { numRuns: runs(150) },
    )
  })

  it('round-trips texts, flags and stamps', () => {
    const row = fc.record({
      text: fc.option(text),
      flag: fc.option(fc.boolean()),
      stamp: fc.nat({ max: 3 }),
    })
    const times = fc.array(fc.record({ time: fc.integer({ min: 0, max: 2e15 }), actor: fc.constantFrom('', 'a', 'bc') }), {
      minLength: 4,
      maxLength: 4,
    })
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), times, (rows, all) => {
        const columns = new Map<string, Column>()
        if (rows.some(({ flag }) => flag !== null)) {
          columns.set('flag', { kind: 'boolean', values: rows.map(({ flag }) => flag) })
        }
        if (rows.some(({ text: one }) => one !== null)) {
          columns.set('text', { kind: 'string', values: rows.map(({ text: one }) => one) })
        }
        const stampOf = Uint32Array.from(rows, ({ stamp }) => stamp)
        roundTrip({ deltaTimes: Float64Array.from(rows, (_, i) => i / 8), columns, stamps: all, stampOf })
      }),
      { numRuns: runs(150) },
    )
  })

  it('round-trips at full size', () => {
    const next = seeded(7)
    for (const value of [
      (i: number) => i,
      (i: number) => Math.sin(i / 60),
      () => next(1_000_000) / 1_000_003,
      (i: number) => 20 + Math.round(10 * Math.sin(i)) / 10,
      (i: number) => Math.fround(i / 7) * (i % 2 === 0 ? 1 : -1),
    ]) {
      roundTrip(segment(Array.from({ length: 8192 }, (_, i) => value(i))))
    }
  })

  it('has the same bytes for the same points', () => {
    const flags: Column = { kind: 'boolean', values: [true, null] }
    const one = segment([1, 2], { flag: flags, none: { kind: 'null' } })
    const other: Segment = {
      ...one,
      columns: new Map([...one.columns].filter(([name]) => name !== 'none').reverse()),
      stamps: [{ time: 1, actor: 'z' }, ...stamps],
      stampOf: Uint32Array.of(1, 1),
    }
    expect(encodeSegment(other)).toEqual(encodeSegment(one))
  })

  it('encodes regular values in few bytes', () => {
    const bytes = (value: (i: number) => number): number =>
      encodeSegment(segment(Array.from({ length: 8192 }, (_, i) => value(i)))).length / 8192
    const next = seeded(3)
    expect(bytes((i) => 20 + Math.round(10 * Math.sin(i / 100)) / 10)).toBeLessThan(1)
    expect(bytes(() => 60 + next(400) / 10)).toBeLessThan(1.5)
    expect(bytes((i) => Math.sin((i * 2 * Math.PI) / 3600))).toBeLessThan(8)
    expect(bytes((i) => Math.sin(i * 1000))).toBeLessThan(8)
    expect(bytes(() => next(2 ** 31) / 2 ** 31 + next(2 ** 31) / 2 ** 53)).toBeLessThan(8)
  })
})

describe('an invalid segment', () => {
  const next = seeded(11)
  const whole = encodeSegment(
    segment(
      Array.from({ length: 200 }, (_, i) => (i % 7 === 0 ? NaN : Math.sin(i))),
      {
        flag: { kind: 'boolean', values: Array.from({ length: 200 }, (_, i) => i % 3 === 0) },
        text: { kind: 'string', values: Array.from({ length: 200 }, (_, i) => (i % 5 === 0 ? null : `text ${i} text`)) },
        word: { kind: 'string', values: Array.from({ length: 200 }, (_, i) => `word ${i % 3}`) },
      },
    ),
  )
  /** Returns the bytes with a matching checksum, as a hostile peer would send them. */
  function sealed(bytes: Uint8Array): Uint8Array {
    const copy = Buffer.from(bytes)
    copy.writeUInt32LE(crc32c(copy.subarray(0, copy.length - 4)), copy.length - 4)
    return copy
  }
  const attempt = (bytes: Uint8Array): void => {
    try {
      decodeSegment(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(SegmentDamaged)
    }
  }

  it('is refused with each single bit changed, and cut at any place', () => {
    for (let bit = 0; bit < whole.length * 8; bit += 7) {
      const copy = whole.slice()
      copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(() => decodeSegment(copy)).toThrow(SegmentDamaged)
    }
    for (let size = 0; size < whole.length; size++) expect(() => decodeSegment(whole.subarray(0, size))).toThrow(SegmentDamaged)
  })

  it('decodes to a clear error or another segment, even with a matching checksum', () => {
    for (let i = 0; i < 3000; i++) {
      const copy = whole.slice(0, next(4) === 0 ? 4 + next(whole.length - 4) : whole.length)
      for (let n = next(4); n >= 0; n--) copy[next(copy.length)] = next(3) === 0 ? 255 : next(256)
      attempt(sealed(copy))
    }
    for (let i = 0; i < 1000; i++) attempt(sealed(Uint8Array.from({ length: 5 + next(60) }, (_, at) => (at === 0 ? 1 : next(256)))))
  })

  it('does not expand few bytes to many cells', () => {
    // Many points and columns of a single value each.
    const one = segment(new Array<number>(60_000).fill(1))
    for (let i = 0; i < 100; i++) (one.columns as Map<string, Column>).set(`v${i}`, { kind: 'number', values: new Float64Array(60_000) })
    expect(() => decodeSegment(encodeSegment(one))).toThrow('columns')
    const long = segment(new Array<number>(70_000).fill(1))
    expect(() => decodeSegment(encodeSegment(long))).toThrow('points')
  })
})
