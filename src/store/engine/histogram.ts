/** Numbers counted by size: what hot paths increment, and nothing more. */

export interface Histogram {
  /** Upper bounds, ascending; what is larger than all is counted at the end of `counts`. */
  readonly bounds: readonly number[]
  /** How many were at most each bound and above the one before. */
  readonly counts: number[]
  /** The sum of all. */
  sum: number
}

export const createHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: 0,
})

/** Counts a number. */
export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let at = 0
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
  counts[at] = (counts[at] ?? 0) + 1
  histogram.sum += value
}

/** How many were counted. */
export const countOf = ({ counts }: Histogram): number => counts.reduce((sum, count) => sum + count, 0)
