/** Series against a map of rows by deltaTime, for any order of writes, merges, reads and removals. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFindings } from '../../src/store/check/findings.js'
import { checkSeries } from '../../src/store/check/series.js'
import { mergePoints } from '../../src/store/series/mergePoints.js'
import { splitPoints } from '../../src/store/series/split.js'
import { headOf } from '../../src/store/series/head.js'
import { mergeStep, type MergeLimits } from '../../src/store/series/mergeSegments.js'
import { decodeSegment, encodeSegment, type Segment } from '../../src/store/series/segment.js'
import { lastDelta, readPoints, removePoints, writePoints } from '../../src/store/series/series.js'
import { standaloneAccount, pointsOf, readRows, rowsOf, type StandaloneAccount, type Row } from '../store/series/support.js'
import { runs } from '../support/oracles/runs.js'

/** So small that a few points are many segments. */
const LIMITS: MergeLimits = { fanIn: 2, overlapped: 2, points: 8, sizes: { points: 4, cells: 64, text: 40 } }

const deltaTime = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 400 }).map((n) => n / 10), fc.constantFrom(1e9, 1e-9))
const row: fc.Arbitrary<Row> = fc.oneof(
  fc.record({ value: fc.double({ noNaN: true }) }),
  fc.record({ value: fc.integer(), unit: fc.string() }, { requiredKeys: ['value'] }),
  fc.record({ flag: fc.boolean() }),
)
const rows = fc.oneof(
  fc.array(fc.tuple(deltaTime, row), { minLength: 1, maxLength: 12 }),
  fc.tuple(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 30 }), row).map(([from, length, one]) =>
    Array.from({ length }, (_, i): [number, Row] => [from + i, one]),
  ),
)
/** Values of another kind than the series had, as after a change of the holder's type. */
const others = fc.array(fc.tuple(deltaTime, fc.record({ value: fc.string() })), { minLength: 1, maxLength: 5 })
const bound = fc.oneof(deltaTime, fc.constantFrom(-Infinity, Infinity))

type Step =
  | { kind: 'write'; rows: [number, Row][] }
  | { kind: 'merge'; steps: number; isAwaited: boolean }
  | { kind: 'read'; from: number; to: number }
  | { kind: 'remove' }

/** Several steps of merging; later steps may run concurrently. */
const merging = fc.record({
  kind: fc.constant('merge' as const),
  steps: fc.integer({ min: 1, max: 5 }),
  isAwaited: fc.boolean(),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), rows }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('write' as const), rows: others }) },
  { weight: 5, arbitrary: merging },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), from: bound, to: bound }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const }) },
)

const ascending = (map: Map<number, Row>): [number, Row][] => [...map].sort(([a], [b]) => a - b)

describe('a series', () => {
  let standalone: StandaloneAccount
  let series = 0
  beforeAll(async () => {
    standalone = await standaloneAccount()
  })
  afterAll(() => standalone.close())

  it('returns the last write at each deltaTime', { timeout: 300_000 }, async () => {
    const { account } = standalone
    const run = async (steps: Step[]): Promise<void> => {
      const event = `event${(series += 1)}`
      const expected = new Map<number, Row>()
      let merged: Promise<void> = Promise.resolve()
      const merge = async (times: number): Promise<void> => {
        for (let i = 0; i < times; i++) await mergeStep(account, event, LIMITS)
      }
      for (const one of steps) {
        if (one.kind === 'write') {
          // The clock stands still; the later write wins anyway.
          await account.write((t) => writePoints(t, event, pointsOf(one.rows), 1000))
          for (const [at, value] of one.rows) expected.set(at, value)
        } else if (one.kind === 'merge') {
          await merged
          merged = merge(one.steps)
          if (one.isAwaited) await merged
        } else if (one.kind === 'remove') {
          await account.write((t) => removePoints(t, event))
          expected.clear()
        } else {
          const within = ascending(expected).filter(([at]) => at >= one.from && at < one.to)
          expect(await readRows(account, event, one)).toEqual(within)
        }
      }
      expect(await readRows(account, event)).toEqual(ascending(expected))
      await merged
      while (await mergeStep(account, event, LIMITS));
      expect(await readRows(account, event)).toEqual(ascending(expected))
      const { fields } = await readPoints(account, event, { from: 0, to: Infinity })
      expect(fields).toEqual(expect.arrayContaining([...new Set([...expected.values()].flatMap((one) => Object.keys(one)))]))
      if (expected.size > 0) expect(lastDelta(account.db, '1', event)).toBe(Math.max(...expected.keys()))
      else expect(lastDelta(account.db, '1', event)).toBeUndefined()
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), run), {
      numRuns: process.env['LONG'] === '1' ? 1500 : 30,
    })
    // Counts in heads equal the stored segments, after any merges.
    const findings = createFindings(10)
    await checkSeries({ db: account.db, findings }, '1')
    expect(findings.problems).toEqual([])
  })
})

describe('a series that is removed during a merge', () => {
  it('stays removed, and then contains later writes alone', async () => {
    const standalone = await standaloneAccount()
    const { account } = standalone
    const write = (at: number): Promise<void> => account.write((t) => writePoints(t, 'e', pointsOf([[at, { value: at }]]), 1))
    for (let at = 0; at < 10; at++) await write(at)
    const merging = mergeStep(account, 'e', LIMITS)
    await account.write((t) => removePoints(t, 'e'))
    await write(100)
    expect(await merging).toBe(false)
    expect(await readRows(account, 'e')).toEqual([[100, { value: 100 }]])
    expect(headOf(account.db, '1', 'e')).toMatchObject({ fresh: 1, points: 1, last: 100 })
    await standalone.close()
  })
})

describe('segments', () => {
  const ascendingRows = (all: [number, Row][]): [number, Row][] => ascending(new Map(all))
  const text = (all: readonly Segment[]): string[] =>
    all.flatMap((one) => splitPoints(one, LIMITS.sizes)).map((one) => Buffer.from(encodeSegment(one)).toString('base64'))

  /** Returns segments as writes with these stamps make them. */
  const segment = (actor: string, time: number, all: [number, Row][]): Segment => ({
    ...pointsOf(ascendingRows(all)),
    stamps: [{ time, actor }],
  })

  it('merge to the same bytes in any order and grouping, and repeatedly', () => {
    const write = fc.record({ actor: fc.constantFrom('a', 'b'), rows: fc.oneof(rows, others) })
    const picks = fc.array(fc.nat(), { minLength: 30, maxLength: 30 })
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 6 }), picks, (writes, order) => {
        // Two actors write at the same times.
        const all = writes.map(({ actor, rows: own }, i) => segment(actor + String(i), 1000 + (i >> 1), own))
        const together = text(mergePoints(all))
        const pool = [...all, all[0] as Segment]
        for (let at = 0; pool.length > 1; at++) {
          const [a] = pool.splice((order[at % order.length] ?? 0) % pool.length, 1)
          const [b] = pool.splice((order[(at + 7) % order.length] ?? 0) % pool.length, 1)
          if (a === undefined || b === undefined) throw new Error('the pool is empty')
          const [first, ...more] = mergePoints([a, b])
          // Runs of other kinds cannot be in one segment; they are carried together.
          if (first === undefined || more.length > 0) return
          pool.push(decodeSegment(encodeSegment(first)))
        }
        expect(text(mergePoints(pool))).toEqual(together)
      }),
      { numRuns: runs(250) },
    )
  })

  it('have the row of the latest stamp at each deltaTime', () => {
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1, maxLength: 8 }), (writes) => {
        const expected = new Map(writes.flat())
        const all = writes.map((own, i) => segment('a', i, own)).reverse()
        expect(mergePoints(all).flatMap(rowsOf)).toEqual(ascending(expected))
      }),
      { numRuns: runs(250) },
    )
  })
})
