/** Many points as few columns that keep the extremes; takes the memory of the columns, however many points there are. */

/** What the points of one column are; times and values as they were given. */
export interface Bin {
  least: number
  most: number
  first: { time: number; value: number }
  last: { time: number; value: number }
}

export interface Bins {
  /** Adds a point; points come in the order of time. Those outside the range are left out. */
  add(time: number, value: number): void
  readonly count: number
  readonly columns: ReadonlyArray<Bin | undefined>
  /** Whether so much time between two points is more than a pause between measurements. */
  isGap(seconds: number): boolean
}

/** Times between points of this many times their average are gaps. */
const GAP = 4

/** Columns of equal parts of the time from `from` to `to`, both included. */
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
