/** Values of a chart as columns, for the script that draws them. */
import type { Chart } from './chartData.js'

/** Lines are interrupted where a gap is longer than this multiple of the usual distance of values. */
const GAP = 4

/** Columns of the values, as uPlot takes them. Times are in seconds. */
interface ChartColumns {
  x: number[]
  min: (number | null)[]
  max: (number | null)[]
  mean: (number | null)[]
  from: number
  to: number
}

/** Returns the columns of a chart, with a bucket without values in each long gap. */
export function columnsOf({ times, buckets, from, to }: Chart): ChartColumns {
  const distances = times.slice(1).map((time, at) => time - (times[at] ?? time))
  const usual = [...distances].sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0
  const columns: ChartColumns = { x: [], min: [], max: [], mean: [], from, to }
  const add = (time: number, min: number | null, max: number | null, mean: number | null): void => {
    columns.x.push(time)
    columns.min.push(min)
    columns.max.push(max)
    columns.mean.push(mean)
  }
  for (const [at, time] of times.entries()) {
    const before = times[at - 1]
    if (before !== undefined && time - before > GAP * usual) add((before + time) / 2, null, null, null)
    add(time, buckets.min[at] ?? null, buckets.max[at] ?? null, buckets.mean[at] ?? null)
  }
  return columns
}
