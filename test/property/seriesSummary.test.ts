/** Summaries of series against their points, for any order of writes, merges, removals and lost summary records. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkStore } from '../../src/store/check/index.js'
import { each } from '../../src/store/engine/database.js'
import { accountKeys, under } from '../../src/store/engine/keys.js'
import { mergeStep, type MergeLimits } from '../../src/store/series/mergeSegments.js'
import { removePoints, writePoints } from '../../src/store/series/series.js'
import { standaloneAccount, pointsOf, type StandaloneAccount, type Row } from '../store/series/support.js'
import { expectTrueSummary, summaryOf } from '../support/oracles/naiveSummary.js'
import { runs } from '../support/oracles/runs.js'

const LIMITS: MergeLimits = { fanIn: 2, overlapped: 2, points: 6000, sizes: { points: 2000, cells: 65_536, text: 262_144 } }
const FIELDS = ['value', 'weight']

const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -1000, max: 1000 }).map((n) => n / 10))
const row: fc.Arbitrary<Row> = fc.record({ value, weight: fc.integer(), unit: fc.string({ maxLength: 3 }) }, { requiredKeys: [] })
/** Points at a regular distance, with rows that repeat. */
const run = (rows: fc.Arbitrary<Row>): fc.Arbitrary<[number, Row][]> =>
  fc
    .tuple(fc.nat({ max: 12_000 }), fc.constantFrom(0.125, 1, 1, 1, 3, 1000), fc.integer({ min: 1, max: 5000 }), fc.array(rows, { minLength: 1, maxLength: 7 }))
    .map(([from, step, length, some]) => Array.from({ length }, (_, i) => [from + i * step, some[i % some.length] ?? {}]))
const bound = fc.oneof(fc.nat({ max: 15_000 }), fc.nat({ max: 15_000 }).map((n) => n + 0.5), fc.constantFrom(-Infinity, Infinity))

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), rows: run(row) }) },
  // Values of another kind than the series had, as after a change of the holder's type.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('write' as const), rows: run(fc.record({ value: fc.string({ maxLength: 2 }) })) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('merge' as const), steps: fc.integer({ min: 1, max: 5 }), isAwaited: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('summarize' as const), from: bound, to: bound, max: fc.constantFrom(1, 2, 5, 20, 1000) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forget' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe('a summary of a series', () => {
  let standalone: StandaloneAccount
  let series = 0
  beforeAll(async () => {
    standalone = await standaloneAccount()
  })
  afterAll(() => standalone.close())

  async function forgetRecords(): Promise<void> {
    const { account } = standalone
    const keys: string[] = []
    for await (const key of each(account.db.keys(under(accountKeys.allPointsSummaries('1'))))) keys.push(key)
    await account.write((t) => keys.forEach((key) => t.delete(key)))
  }

  async function play(steps: Step[]): Promise<void> {
    const { account } = standalone
    const event = `event${(series += 1)}`
    let merged: Promise<void> = Promise.resolve()
    const merge = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) await mergeStep(account, event, LIMITS)
    }
    const reading: Promise<unknown>[] = []
    for (const one of steps) {
      if (one.kind === 'write') await account.write((t) => writePoints(t, event, pointsOf(one.rows), 1000))
      else if (one.kind === 'merge') {
        await merged
        merged = merge(one.steps)
        // Records that a concurrent reader computes must not replace those of the merge.
        reading.push(summaryOf(account, event, FIELDS, undefined, 1))
        if (one.isAwaited) await merged
      } else if (one.kind === 'remove') await account.write((t) => removePoints(t, event))
      else if (one.kind === 'forget') await forgetRecords()
      else await expectTrueSummary(account, event, FIELDS, one, one.max)
    }
    await merged
    while (await mergeStep(account, event, LIMITS));
    await Promise.all(reading)
    for (const max of [1, 3, 50]) await expectTrueSummary(account, event, FIELDS, undefined, max)
  }

  it('is true for its points', { timeout: 300_000 }, async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 15 }), play), { numRuns: runs(25) })
    await standalone.opened.committer.settled()
    const { problems } = await checkStore(standalone.opened.db, { head: standalone.opened.committer.head })
    expect(problems.filter(({ what }) => /summar/.test(what))).toEqual([])
  })
})
