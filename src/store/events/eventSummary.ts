/** Accumulates values of events to a summary: figures of each group, buckets of time, and merged periods. */
import type { EventGroup, EventKind } from './eventGroups.js'

/** Figures of the values of a group; `min` and `max` are infinite without values. */
interface Figures {
  count: number
  /** Number of events with a value. */
  valued: number
  min: number
  max: number
  sum: number
}

/** Figures of a group by bucket, without empty buckets, in columns. */
export interface Buckets {
  index: number[]
  count: number[]
  valued: number[]
  min: number[]
  max: number[]
  sum: number[]
}

export interface GroupSummary extends Figures {
  group: EventGroup
  buckets: Buckets
  /** Time of the last event, and its value; NaN without one. */
  lastTime: number
  lastValue: number
  /** Id of the last event, if rows have ids. */
  lastId: string | undefined
}

/** Events with a duration that touch or lie near each other. */
export interface Period extends EventKind {
  from: number
  to: number
  count: number
}

interface SummaryOptions {
  /** Boundaries of the buckets, ascending. A bucket contains its first boundary. */
  edges: ArrayLike<number>
  /** True if the last bucket contains its end. */
  includesEnd: boolean
  /** Periods nearer to each other than this many seconds are merged. */
  gap: number
  /** End of running periods, in seconds. */
  now: number
  groups: readonly EventGroup[]
}

export interface SummaryBuilder {
  /** Adds a value of an event; they come in the order of time. @throws TooManyBuckets */
  add(row: { time: number; end: number; group: number; value: number; isFirst: boolean; isFirstOfKind: boolean; id?: string | undefined }): void
  /** Number of events. */
  readonly count: number
  /** Returns the groups with the most events first. */
  groups(): GroupSummary[]
  /** Returns the periods by begin, at most `max`. */
  periods(max: number): { periods: Period[]; more: boolean }
}

/** Error of a summary with too many buckets. */
export class TooManyBuckets extends Error {
  constructor() {
    super(`The summary has more than ${MAX_BUCKETS} buckets.`)
    this.name = 'TooManyBuckets'
  }
}

/** Maximum number of filled buckets of all groups, and of periods. */
const MAX_BUCKETS = 500_000

/** Creates an empty summary. */
export function createSummary({ edges, includesEnd, gap, now, groups }: SummaryOptions): SummaryBuilder {
  const summaries = new Map<number, GroupSummary>()
  const periods = new Map<number, Period[]>()
  const last = edges.length - 2
  let count = 0
  let filled = 0
  let bucket = 0

  /** Moves to the bucket of a time; returns false when there is none. */
  function reach(time: number): boolean {
    while (bucket < last && time >= (edges[bucket + 1] ?? 0)) bucket += 1
    const from = edges[bucket] ?? 0
    const to = edges[bucket + 1] ?? 0
    return time >= from && (time < to || (includesEnd && bucket === last && time === to))
  }

  function summaryOf(place: number): GroupSummary | undefined {
    let summary = summaries.get(place)
    const group = groups[place]
    if (summary === undefined && group !== undefined) {
      const buckets: Buckets = { index: [], count: [], valued: [], min: [], max: [], sum: [] }
      summary = { group, count: 0, valued: 0, min: Infinity, max: -Infinity, sum: 0, buckets, lastTime: 0, lastValue: 0, lastId: undefined }
      summaries.set(place, summary)
    }
    return summary
  }

  function assertSize(): void {
    filled += 1
    if (filled > MAX_BUCKETS) throw new TooManyBuckets()
  }

  function addToBucket({ index, count: counts, valued, min, max, sum }: Buckets, value: number): void {
    let at = index.length - 1
    if (index[at] !== bucket) {
      assertSize()
      at = index.push(bucket) - 1
      counts.push(0)
      valued.push(0)
      min.push(Infinity)
      max.push(-Infinity)
      sum.push(0)
    }
    counts[at] = (counts[at] ?? 0) + 1
    if (Number.isNaN(value)) return
    valued[at] = (valued[at] ?? 0) + 1
    if (value < (min[at] ?? 0)) min[at] = value
    if (value > (max[at] ?? 0)) max[at] = value
    sum[at] = (sum[at] ?? 0) + value
  }

  function addPeriod({ kind, kindIndex }: EventGroup, from: number, to: number): void {
    let ofKind = periods.get(kindIndex)
    if (ofKind === undefined) periods.set(kindIndex, (ofKind = []))
    const open = ofKind.at(-1)
    if (open !== undefined && isNear(open, from, gap)) extend(open, to, 1)
    else {
      assertSize()
      ofKind.push({ ...kind, from, to, count: 1 })
    }
  }

  return {
    add({ time, end, group, value, isFirst, isFirstOfKind, id }) {
      if (isFirst) count += 1
      const summary = summaryOf(group)
      if (summary === undefined) return
      summary.count += 1
      summary.lastTime = time
      summary.lastValue = value
      summary.lastId = id
      if (!Number.isNaN(value)) {
        summary.valued += 1
        if (value < summary.min) summary.min = value
        if (value > summary.max) summary.max = value
        summary.sum += value
      }
      if (reach(time)) addToBucket(summary.buckets, value)
      if (isFirstOfKind && end !== time) addPeriod(summary.group, time, end === Infinity ? Math.max(time, now) : end)
    },
    get count() {
      return count
    },
    groups: () => [...summaries.values()].sort((a, b) => b.count - a.count || inOrder(keyOf(a.group), keyOf(b.group))),
    periods: (max) => merged([...periods.values()], gap, max),
  }
}

const isNear = (open: Period, from: number, gap: number): boolean => from <= open.to || from - open.to < gap

function extend(open: Period, to: number, count: number): void {
  if (to > open.to) open.to = to
  open.count += count
}

/** Ids and types contain no newline. */
const keyOf = ({ kind: { streamId = '', type }, field }: EventGroup): string => `${streamId}\n${type}\n${field}`

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Merges periods of each kind across ever greater gaps, until there are at most `max`. */
function merged(byKind: Period[][], smallest: number, max: number): { periods: Period[]; more: boolean } {
  let kinds = byKind
  const total = (): number => kinds.reduce((sum, { length }) => sum + length, 0)
  const least = Math.max(max, kinds.length)
  for (let gap = Math.max(smallest, Number.MIN_VALUE); total() > least; gap *= 2) {
    const bound = gap
    kinds = kinds.map((periods) => {
      const wider: Period[] = []
      for (const period of periods) {
        const open = wider.at(-1)
        if (open !== undefined && isNear(open, period.from, bound)) extend(open, period.to, period.count)
        else wider.push({ ...period })
      }
      return wider
    })
  }
  const all = kinds.flat()
  const shown = all.length <= max ? all : all.sort((a, b) => b.count - a.count).slice(0, max)
  return { periods: shown.sort((a, b) => a.from - b.from || inOrder(kindKey(a), kindKey(b))), more: shown.length < all.length }
}

const kindKey = ({ streamId = '', type }: EventKind): string => `${streamId}\n${type}`
