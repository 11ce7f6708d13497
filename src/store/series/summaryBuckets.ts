/** Buckets of a series summary: consecutive points, with their totals by field. */
import type { Points } from '../model/points.js'
import { lowerBound } from './mergePoints.js'
import type { TimeWindow } from './readSegments.js'
import { addTotals, addValues, newTotals, type Totals } from './totals.js'
import { blockStart, type SegmentSummary } from './summaryRecord.js'

/** Buckets with points, by index, in order of time. */
export interface SummaryBuckets {
  /** deltaTimes of the first and the last point. */
  from: number[]
  to: number[]
  /** Numbers of points. */
  count: number[]
  /** Totals by field. */
  totals: ReadonlyMap<string, Totals>
}

/** Collects points and blocks, which are added in order of time. */
export interface Buckets {
  /** Duration of a bucket in seconds; 0 when all points are in one. */
  readonly duration: number
  addPoints(points: Points): void
  /** Adds each block of a segment to the bucket of its middle. */
  addBlocks(summary: SegmentSummary): void
  result(): SummaryBuckets
}

/** Creates at most `max` buckets of equal duration between two deltaTimes, both included. */
export function createBuckets(span: TimeWindow, max: number, fields: readonly string[]): Buckets {
  const width = (span.to - span.from) / max
  const duration = width > 0 && width < Infinity ? width : 0
  const from = new Float64Array(max)
  const to = new Float64Array(max)
  const count = new Float64Array(max)
  const totals = new Map(fields.map((name) => [name, newTotals(max)]))
  const indexOf = (time: number): number =>
    duration === 0 ? 0 : Math.max(0, Math.min(max - 1, Math.floor((time - span.from) / duration)))
  function extend(index: number, first: number, last: number, points: number): void {
    if (count[index] === 0) from[index] = first
    to[index] = last
    count[index] = (count[index] as number) + points
  }
  return {
    duration,
    addPoints({ deltaTimes, columns }) {
      for (let at = 0; at < deltaTimes.length; ) {
        const index = indexOf(deltaTimes[at] as number)
        const limit = index === max - 1 || duration === 0 ? Infinity : span.from + (index + 1) * duration
        const end = Math.max(at + 1, lowerBound(deltaTimes, limit, at))
        extend(index, deltaTimes[at] as number, deltaTimes[end - 1] as number, end - at)
        for (const [name, total] of totals) {
          const column = columns.get(name)
          if (column?.kind === 'number') addValues(total, index, column.values, at, end)
        }
        at = end
      }
    },
    addBlocks({ points, first, last, columns }) {
      const blocks = first.length
      for (let i = 0; i < blocks; i++) {
        const [begin, end] = [first[i] as number, last[i] as number]
        const index = indexOf(begin + (end - begin) / 2)
        extend(index, begin, end, blockStart(points, blocks, i + 1) - blockStart(points, blocks, i))
        for (const [name, total] of totals) {
          const column = columns.get(name)
          if (column !== undefined) addTotals(total, index, column, i)
        }
      }
    },
    result() {
      const used = Array.from(count.keys()).filter((index) => count[index] !== 0)
      const pick = (values: Float64Array): number[] => used.map((index) => values[index] as number)
      const pickTotals = ({ count: numbers, min, max: most, sum }: Totals): Totals => ({
        count: Float64Array.from(pick(numbers)),
        min: Float64Array.from(pick(min)),
        max: Float64Array.from(pick(most)),
        sum: Float64Array.from(pick(sum)),
      })
      return {
        ...{ from: pick(from), to: pick(to), count: pick(count) },
        totals: new Map([...totals].map(([name, total]) => [name, pickTotals(total)])),
      }
    },
  }
}
