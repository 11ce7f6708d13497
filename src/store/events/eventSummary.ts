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
  add(time: number, end: number, group: number, value: number, isFirst: boolean, isFirstOfKind: boolean, id?: string): void
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
  let figures = createFigures(Math.max(groups.length, 16))
  const filledBuckets: Buckets[] = []
  const lastIds: (string | undefined)[] = []
  const periods = new Map<number, Period[]>()
  const last = edges.length - 2
  let count = 0
  let filled = 0
  let bucket = 0
  let bucketStart = edges[0] ?? 0
  let bucketEnd = edges[1] ?? 0

  /** Moves to the bucket of a time; returns false when there is none. */
  function reach(time: number): boolean {
    while (bucket < last && time >= bucketEnd) {
      bucket += 1
      bucketStart = bucketEnd
      bucketEnd = edges[bucket + 1] ?? 0
    }
    return time >= bucketStart && (time < bucketEnd || (includesEnd && bucket === last && time === bucketEnd))
  }

  function assertSize(): void {
    filled += 1
    if (filled > MAX_BUCKETS) throw new TooManyBuckets()
  }

  /** Appends the open bucket of a group to its filled ones. */
  function closeBucket(at: number): void {
    const { open, openCount, openValued, openMin, openMax, openSum } = figures
    if (open[at] === NO_BUCKET) return
    const buckets = (filledBuckets[at] ??= { index: [], count: [], valued: [], min: [], max: [], sum: [] })
    buckets.index.push(open[at] ?? 0)
    buckets.count.push(openCount[at] ?? 0)
    buckets.valued.push(openValued[at] ?? 0)
    buckets.min.push(openMin[at] ?? 0)
    buckets.max.push(openMax[at] ?? 0)
    buckets.sum.push(openSum[at] ?? 0)
  }

  function addToBucket(at: number, value: number): void {
    const { open, openCount, openValued, openMin, openMax, openSum } = figures
    if (open[at] !== bucket) {
      assertSize()
      closeBucket(at)
      open[at] = bucket
      openCount[at] = 0
      openValued[at] = 0
      openMin[at] = Infinity
      openMax[at] = -Infinity
      openSum[at] = 0
    }
    openCount[at] = (openCount[at] ?? 0) + 1
    if (Number.isNaN(value)) return
    openValued[at] = (openValued[at] ?? 0) + 1
    if (value < (openMin[at] ?? 0)) openMin[at] = value
    if (value > (openMax[at] ?? 0)) openMax[at] = value
    openSum[at] = (openSum[at] ?? 0) + value
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

  function summaryOf(group: EventGroup, at: number): GroupSummary {
    closeBucket(at)
    figures.open[at] = NO_BUCKET
    const number = (column: Float64Array): number => column[at] ?? 0
    return {
      group,
      count: number(figures.count),
      valued: number(figures.valued),
      min: number(figures.min),
      max: number(figures.max),
      sum: number(figures.sum),
      buckets: filledBuckets[at] ?? { index: [], count: [], valued: [], min: [], max: [], sum: [] },
      lastTime: number(figures.lastTime),
      lastValue: number(figures.lastValue),
      lastId: lastIds[at],
    }
  }

  return {
    add(time, end, group, value, isFirst, isFirstOfKind, id) {
      if (isFirst) count += 1
      if (group >= groups.length) return
      if (group >= figures.size) figures = grown(figures, groups.length)
      figures.count[group] = (figures.count[group] ?? 0) + 1
      figures.lastTime[group] = time
      figures.lastValue[group] = value
      if (id !== undefined) lastIds[group] = id
      if (!Number.isNaN(value)) {
        figures.valued[group] = (figures.valued[group] ?? 0) + 1
        if (value < (figures.min[group] ?? 0)) figures.min[group] = value
        if (value > (figures.max[group] ?? 0)) figures.max[group] = value
        figures.sum[group] = (figures.sum[group] ?? 0) + value
      }
      if (reach(time)) addToBucket(group, value)
      if (isFirstOfKind && end !== time) {
        const ofGroup = groups[group]
        if (ofGroup !== undefined) addPeriod(ofGroup, time, end === Infinity ? Math.max(time, now) : end)
      }
    },
    get count() {
      return count
    },
    groups: () =>
      groups
        .flatMap((group, at) => ((figures.count[at] ?? 0) > 0 ? [summaryOf(group, at)] : []))
        .sort((a, b) => b.count - a.count || inOrder(keyOf(a.group), keyOf(b.group))),
    periods: (max) => merged([...periods.values()], gap, max),
  }
}

/** Bucket of a group that has none open. */
const NO_BUCKET = -1

/**
 * Figures of all groups in columns, by the number of the group, with those of the bucket that each fills. Objects for each
 * group took three times as long for a million values.
 */
interface FigureColumns {
  size: number
  count: Float64Array
  valued: Float64Array
  min: Float64Array
  max: Float64Array
  sum: Float64Array
  lastTime: Float64Array
  lastValue: Float64Array
  open: Int32Array
  openCount: Float64Array
  openValued: Float64Array
  openMin: Float64Array
  openMax: Float64Array
  openSum: Float64Array
}

function createFigures(size: number): FigureColumns {
  const column = (): Float64Array => new Float64Array(size)
  return {
    size,
    count: column(),
    valued: column(),
    min: column().fill(Infinity),
    max: column().fill(-Infinity),
    sum: column(),
    lastTime: column(),
    lastValue: column(),
    open: new Int32Array(size).fill(NO_BUCKET),
    openCount: column(),
    openValued: column(),
    openMin: column(),
    openMax: column(),
    openSum: column(),
  }
}

/** Returns the figures with space for at least `size` groups. */
function grown(before: FigureColumns, size: number): FigureColumns {
  const after = createFigures(Math.max(size, before.size * 2))
  for (const [name, column] of Object.entries(before) as [keyof FigureColumns, FigureColumns[keyof FigureColumns]][]) {
    if (typeof column !== 'number') (after[name] as Float64Array).set(column)
  }
  return after
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
