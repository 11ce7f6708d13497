/** Downsamples points to columns that preserve extremes, in memory independent of the number of points. */

/** Summary of the points of one column, with original times and values. */
interface Bin {
  least: number
  most: number
  first: { time: number; value: number }
  last: { time: number; value: number }
}

export interface Bins {
  /** Adds a point; points come in order of time. Ignores those outside the range. */
  add(time: number, value: number): void
  readonly count: number
  readonly columns: ReadonlyArray<Bin | undefined>
  /** Checks whether a time between two points is a gap rather than a normal interval. */
  isGap(seconds: number): boolean
}

/** Multiple of the average interval from which an interval is a gap. */
const GAP = 4

/** Creates columns of equal length from `from` to `to`, both included. */
export function createBins(from: number, to: number, columns: number): Bins {
  const bins = Array.from({ length: columns }, (): Bin | undefined => undefined)
  const length = to - from
  let count = 0
  let first = 0
  let last = 0
  return {
    add(time, value) {
      if (!(time >= from && time <= to)) return
      if (count === 0) first = time
      last = time
      count += 1
      const at = length > 0 ? Math.min(columns - 1, Math.floor(((time - from) / length) * columns)) : Math.floor(columns / 2)
      const bin = bins[at]
      if (bin === undefined) {
        bins[at] = { least: value, most: value, first: { time, value }, last: { time, value } }
        return
      }
      bin.least = Math.min(bin.least, value)
      bin.most = Math.max(bin.most, value)
      bin.last = { time, value }
    },
    get count() {
      return count
    },
    columns: bins,
    isGap: (seconds) => count > 1 && seconds > (GAP * (last - first)) / (count - 1),
  }
}
