/** Accumulates values of events to a summary: figures of each group, buckets of time, and merged periods. */
import { FIRST_OF_EVENT, FIRST_OF_KIND, GROUP_SHIFT } from './eventBlocks.js'
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

/** Columns of values, as in an EventBlock. */
interface EventRows {
  readonly times: ArrayLike<number>
  readonly ends: ArrayLike<number> | undefined
  readonly marks: ArrayLike<number>
  readonly values: ArrayLike<number>
}

/** Test of an event by its time and its end, in seconds. */
export type RowTest = (time: number, end: number) => boolean

const always: RowTest = () => true

export interface SummaryBuilder {
  /** Adds the rows from `first` to before `end` that a test selects, by default all. @throws TooManyBuckets */
  addRows(rows: EventRows, first: number, end: number, isShown?: RowTest): void
  /** Adds a value of an event; values and rows come in the order of time. @throws TooManyBuckets */
  add(time: number, end: number, group: number, value: number, isFirst: boolean, isFirstOfKind: boolean, id: string): void
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
  let open = createRows(Math.max(groups.length, 16))
  const filledBuckets: Buckets[] = []
  /** Figures of the events outside of all buckets. */
  const outside = new Map<number, Figures>()
  const lastIds: (string | undefined)[] = []
  /** The row of a single value, in columns of the same types as blocks: the loop is compiled for these. */
  const single = { times: new Float64Array(1), ends: new Float64Array(1), marks: new Uint32Array(1), values: new Float64Array(1) }
  const periods = new Map<number, Period[]>()
  const last = edges.length - 2
  let count = 0
  let filled = 0
  /** Bucket of the latest row. */
  let reached = 0

  function assertSize(): void {
    filled += 1
    if (filled > MAX_BUCKETS) throw new TooManyBuckets()
  }

  /** Appends the bucket in a row to the filled ones of its group. */
  function closeBucket(group: number): void {
    const row = group * ROW
    const index = open[row + BUCKET] ?? NO_BUCKET
    if (index === NO_BUCKET) return
    const buckets = (filledBuckets[group] ??= { index: [], count: [], valued: [], min: [], max: [], sum: [] })
    buckets.index.push(index)
    buckets.count.push(open[row + COUNT] ?? 0)
    buckets.valued.push(open[row + VALUED] ?? 0)
    buckets.min.push(open[row + MIN] ?? 0)
    buckets.max.push(open[row + MAX] ?? 0)
    buckets.sum.push(open[row + SUM] ?? 0)
  }

  function beginBucket(group: number, bucket: number): void {
    assertSize()
    closeBucket(group)
    const row = group * ROW
    open[row + BUCKET] = bucket
    open[row + COUNT] = 0
    open[row + VALUED] = 0
    open[row + MIN] = Infinity
    open[row + MAX] = -Infinity
    open[row + SUM] = 0
  }

  function addOutside(group: number, value: number): void {
    const figures = outside.get(group) ?? { count: 0, valued: 0, min: Infinity, max: -Infinity, sum: 0 }
    outside.set(group, figures)
    figures.count += 1
    if (Number.isNaN(value)) return
    figures.valued += 1
    figures.min = Math.min(figures.min, value)
    figures.max = Math.max(figures.max, value)
    figures.sum += value
  }

  // The state of the loop is in its own variables: those of the builder cost twice as much for a million rows.
  function addRows({ times, ends, marks, values }: EventRows, first: number, end: number, isShown: RowTest = always): void {
    if (open.length < groups.length * ROW) open = grown(open, groups.length)
    const rows = open
    let bucket = reached
    let bucketStart = edges[bucket] ?? 0
    let bucketEnd = edges[bucket + 1] ?? 0
    let events = 0
    for (let at = first; at < end; at++) {
      const time = times[at] ?? 0
      const until = ends === undefined ? time : (ends[at] ?? 0)
      if (!isShown(time, until)) continue
      const mark = marks[at] ?? 0
      const value = values[at] ?? 0
      const group = mark >>> GROUP_SHIFT
      events += mark & FIRST_OF_EVENT
      const row = group * ROW
      rows[row + LAST_TIME] = time
      rows[row + LAST_VALUE] = value
      while (bucket < last && time >= bucketEnd) {
        bucket += 1
        bucketStart = bucketEnd
        bucketEnd = edges[bucket + 1] ?? 0
      }
      if (time >= bucketStart && (time < bucketEnd || (includesEnd && bucket === last && time === bucketEnd))) {
        if (rows[row + BUCKET] !== bucket) beginBucket(group, bucket)
        rows[row + COUNT] = (rows[row + COUNT] ?? 0) + 1
        if (!Number.isNaN(value)) {
          rows[row + VALUED] = (rows[row + VALUED] ?? 0) + 1
          rows[row + SUM] = (rows[row + SUM] ?? 0) + value
          if (value < (rows[row + MIN] ?? 0)) rows[row + MIN] = value
          if (value > (rows[row + MAX] ?? 0)) rows[row + MAX] = value
        }
      } else addOutside(group, value)
      if (until !== time && (mark & FIRST_OF_KIND) !== 0) {
        const ofGroup = groups[group]
        if (ofGroup !== undefined) addPeriod(ofGroup, time, until === Infinity ? Math.max(time, now) : until)
      }
    }
    reached = bucket
    count += events
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

  /** Returns the figures of a group; undefined for one without events. */
  function summaryOf(at: number): GroupSummary | undefined {
    const group = groups[at]
    closeBucket(at)
    open[at * ROW + BUCKET] = NO_BUCKET
    const beyond = outside.get(at)
    const buckets = filledBuckets[at] ?? { index: [], count: [], valued: [], min: [], max: [], sum: [] }
    if (group === undefined || (beyond === undefined && buckets.index.length === 0)) return undefined
    const figures: Figures = { count: 0, valued: 0, min: Infinity, max: -Infinity, sum: 0, ...beyond }
    for (let n = 0; n < buckets.index.length; n++) {
      figures.count += buckets.count[n] ?? 0
      figures.valued += buckets.valued[n] ?? 0
      figures.min = Math.min(figures.min, buckets.min[n] ?? Infinity)
      figures.max = Math.max(figures.max, buckets.max[n] ?? -Infinity)
      figures.sum += buckets.sum[n] ?? 0
    }
    return { ...figures, group, buckets, lastTime: open[at * ROW + LAST_TIME] ?? 0, lastValue: open[at * ROW + LAST_VALUE] ?? 0, lastId: lastIds[at] }
  }

  return {
    add(time, end, group, value, isFirst, isFirstOfKind, id) {
      single.times[0] = time
      single.ends[0] = end
      single.marks[0] = (group << GROUP_SHIFT) | (isFirst ? FIRST_OF_EVENT : 0) | (isFirstOfKind ? FIRST_OF_KIND : 0)
      single.values[0] = value
      addRows(single, 0, 1)
      lastIds[group] = id
    },
    addRows,
    get count() {
      return count
    },
    groups: () => groups.flatMap((_, at) => summaryOf(at) ?? []).sort((a, b) => b.count - a.count || inOrder(keyOf(a.group), keyOf(b.group))),
    periods: (max) => merged([...periods.values()], gap, max),
  }
}

/**
 * Rows of numbers by group: the bucket that the group fills, and its last value. One array of numbers for all of them: objects
 * took four times as long for a million values.
 */
const ROW = 8
const BUCKET = 0
const COUNT = 1
const VALUED = 2
const MIN = 3
const MAX = 4
const SUM = 5
const LAST_TIME = 6
const LAST_VALUE = 7
/** Bucket of a group that has none open. */
const NO_BUCKET = -1

function createRows(groups: number): Float64Array {
  const rows = new Float64Array(groups * ROW)
  for (let row = BUCKET; row < rows.length; row += ROW) rows[row] = NO_BUCKET
  return rows
}

/** Returns the rows with space for at least a number of groups. */
function grown(before: Float64Array, groups: number): Float64Array {
  const after = createRows(Math.max(groups, (before.length / ROW) * 2))
  after.set(before)
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
