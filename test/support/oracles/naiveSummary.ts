/** Compares the summary of a series with its points. */
import { expect } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { readSummary } from '../../../src/store/series/readSummary.js'
import type { SummaryBuckets } from '../../../src/store/series/summaryBuckets.js'
import { meanAt } from '../../../src/store/series/totals.js'
import { readRows, type Row } from '../../store/series/support.js'

/** Absolute error of means near the smallest doubles. */
const SMALLEST = 1e-300

export const summaryOf = (
  account: Account,
  event: string,
  fields: readonly string[],
  window = { from: -Infinity, to: Infinity },
  buckets = 1000,
): Promise<SummaryBuckets> => readSummary(account, event, window, { fields, buckets, pause: () => undefined })

/** Checks the buckets of a summary against all points of its window. */
export async function expectTrueSummary(
  account: Account,
  event: string,
  fields: readonly string[],
  window?: { from: number; to: number },
  max = 1000,
): Promise<SummaryBuckets> {
  const rows = await readRows(account, event, window)
  const summary = await summaryOf(account, event, fields, window, max)
  expect(summary.count.length).toBeLessThanOrEqual(max)
  expect([...summary.totals.keys()]).toEqual(fields)
  let at = 0
  for (const [i, count] of summary.count.entries()) {
    expect(count).toBeGreaterThan(0)
    const within = rows.slice(at, at + count)
    expect([within[0]?.[0], within.at(-1)?.[0]]).toEqual([summary.from[i], summary.to[i]])
    for (const name of fields) expectTotals(summary, name, i, within)
    at += count
  }
  expect(at).toBe(rows.length)
  return summary
}

function expectTotals({ totals }: SummaryBuckets, name: string, i: number, rows: readonly [number, Row][]): void {
  const total = totals.get(name)
  if (total === undefined) throw new Error(`no totals of ${name}`)
  const values = rows.map(([, row]) => row[name]).filter((value) => typeof value === 'number')
  const least = values.reduce((min, value) => Math.min(min, value), Infinity)
  const most = values.reduce((max, value) => Math.max(max, value), -Infinity)
  expect([total.count[i], total.min[i], total.max[i]]).toEqual([values.length, least, most])
  const mean = meanAt(total, i)
  if (values.length === 0) return expect(mean).toBeNaN()
  const expected = values.reduce((sum, value) => sum + value / values.length, 0)
  const size = values.reduce((sum, value) => sum + Math.abs(value) / values.length, 0)
  // Sums of doubles differ by their order, and the smallest doubles have few bits (totals.ts).
  expect(Math.abs(mean - expected)).toBeLessThanOrEqual(size * 1e-12 + SMALLEST)
  expect(mean >= least && mean <= most).toBe(true)
}
