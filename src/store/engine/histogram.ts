/** Histograms with fixed bounds, cheap to update on hot paths. */

export interface Histogram {
  /** Upper bounds, ascending. Larger values are counted at the end of `counts`. */
  readonly bounds: readonly number[]
  /** Number of values at most each bound and above the previous one. */
  readonly counts: number[]
  /** The sum of all values. */
  sum: number
}

export const createHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: 0,
})

/** Adds a value. */
export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let at = 0
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
  counts[at] = (counts[at] ?? 0) + 1
  histogram.sum += value
}

/** Returns the number of values. */
export const countOf = ({ counts }: Histogram): number => counts.reduce((sum, count) => sum + count, 0)
