/**
 * Summarizes a window of a series in buckets of about equal duration, each with the totals of its points. Merged segments
 * with many points per bucket are read from their summary records (summaryRecord.ts), the others from their points.
 */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import { accountKeys } from '../engine/keys.js'
import type { Yielder } from '../engine/yield.js'
import { SegmentDamaged } from './bytes.js'
import { headOf, mergedPlace, type FreshPlace, type Head, type SegmentKey } from './head.js'
import { freshPlaces, readingOf, type TimeWindow } from './readSegments.js'
import { decodeSegment } from './segment.js'
import { createBuckets, type Buckets, type SummaryBuckets } from './summaryBuckets.js'
import { SummaryCursor } from './summaryCursor.js'
import { BLOCK_POINTS, summarize, type SegmentSummary } from './summaryRecord.js'

interface SummaryOptions {
  /** Names of the fields to summarize. */
  fields: readonly string[]
  /** Maximum number of buckets. */
  buckets: number
  pause: Yielder
}

/** Keys per read from disk. */
const KEYS_AT_ONCE = 1000
/** Minimum number of blocks per bucket to read summary records: a block counts as a whole, so it bounds the error of boundaries. */
const MIN_BLOCKS = 4

/** A part of the window: a merged segment that no other overlaps, or a range of points. */
type Part = { segment: SegmentKey } | { window: TimeWindow; fresh: FreshPlace[] }

/** State of one summary. */
interface Reading {
  account: Account
  event: string
  head: Head
  snapshot: Snapshot
  fields: ReadonlySet<string>
  buckets: Buckets
  records: SummaryCursor
}

/**
 * Returns the buckets of a window of the series of `event`, from a snapshot. They divide the time between the first and the last
 * stored segment of the window, so that a long window around a short series still has many buckets. Buckets without points are left
 * out. Missing summary records are stored afterwards.
 * @throws SegmentDamaged; CallerGone from `pause`
 */
export async function readSummary(account: Account, event: string, window: TimeWindow, options: SummaryOptions): Promise<SummaryBuckets> {
  const { db, prefix } = account
  const snapshot = db.snapshot()
  let records: SummaryCursor | undefined
  try {
    const head = headOf({ get: (key) => db.get(key, snapshot) }, prefix, event)
    const isEmpty = head === undefined || !(window.from < window.to) || window.from > head.last
    const fresh = isEmpty ? [] : await freshPlaces(db, prefix, event, head, window, snapshot)
    const merged = isEmpty ? [] : await mergedPlaces(account, event, head, window, snapshot)
    const buckets = createBuckets(spanOf([...fresh, ...merged], window), options.buckets, options.fields)
    if (head === undefined) return buckets.result()
    records = new SummaryCursor(account, event, head.epoch, snapshot)
    const reading = { account, event, head, snapshot, fields: new Set(options.fields), buckets, records }
    for (const part of partsOf(merged, fresh, window)) await addPart(reading, part, options.pause)
    return buckets.result()
  } finally {
    await records?.close()
    await snapshot.close()
  }
}

/** Returns the merged segments that touch a window. */
async function mergedPlaces({ db, prefix: a }: Account, event: string, { epoch }: Head, window: TimeWindow, snapshot: Snapshot): Promise<SegmentKey[]> {
  const prefix = accountKeys.pointsOf(a, event, epoch)
  const source = db.keys(accountKeys.pointsBehind(a, event, epoch, window.from), {}, snapshot)
  const places: SegmentKey[] = []
  try {
    for (let page = await source.next(KEYS_AT_ONCE); page.length > 0; page = await source.next(KEYS_AT_ONCE)) {
      for (const key of page) {
        const place = mergedPlace(key, prefix)
        if (place.from >= window.to) return places
        places.push(place)
      }
    }
    return places
  } finally {
    await source.close()
  }
}

/** Returns the part of a window between the bounds of segments. */
function spanOf(places: readonly SegmentKey[], window: TimeWindow): TimeWindow {
  let from = Infinity
  let to = -Infinity
  for (const place of places) {
    from = Math.min(from, place.from)
    to = Math.max(to, place.to)
  }
  return { from: Math.max(window.from, from), to: Math.min(window.to, to) }
}

/**
 * Divides a window, in order of time, into merged segments that lie inside it without new segments over them, and ranges of all
 * other points.
 */
function* partsOf(merged: readonly SegmentKey[], fresh: readonly FreshPlace[], window: TimeWindow): Generator<Part> {
  let at = 0
  let reach = -Infinity
  let begun = Infinity
  let within: FreshPlace[] = []
  for (const segment of merged) {
    for (let place = fresh[at]; place !== undefined && place.from <= segment.to; place = fresh[(at += 1)]) {
      within.push(place)
      reach = Math.max(reach, place.to)
      begun = Math.min(begun, place.from)
    }
    if (reach >= segment.from || segment.from < window.from || segment.to >= window.to) {
      begun = Math.min(begun, segment.from)
      continue
    }
    if (begun < Infinity) yield { window: { from: Math.max(window.from, begun), to: segment.from }, fresh: within }
    yield { segment }
    begun = Infinity
    within = []
  }
  const rest = fresh.slice(at)
  begun = Math.min(begun, rest[0]?.from ?? Infinity)
  if (begun < Infinity) yield { window: { from: Math.max(window.from, begun), to: window.to }, fresh: [...within, ...rest] }
}

async function addPart(reading: Reading, part: Part, pause: Yielder): Promise<void> {
  const { account, event, head, snapshot, buckets } = reading
  if ('segment' in part) {
    const due = pause()
    if (due !== undefined) await due
    return addSegment(reading, part.segment)
  }
  for await (const page of readingOf(account, event, head, part.window, snapshot, part.fresh)) {
    buckets.addPoints(page)
    const due = pause()
    if (due !== undefined) await due
  }
}

/** Adds a whole merged segment: its blocks if they are short, otherwise its points. */
async function addSegment({ account, snapshot, fields, buckets, records }: Reading, place: SegmentKey): Promise<void> {
  const longest = buckets.duration / MIN_BLOCKS
  const mayUseBlocks = (place.to - place.from) * BLOCK_POINTS <= longest * place.count
  const known = mayUseBlocks ? await records.find(place, fields) : undefined
  if (known !== undefined && areShort(known, longest)) return buckets.addBlocks(known)
  const bytes = account.db.getBytes(place.key, snapshot)
  if (bytes === undefined) throw new SegmentDamaged('is missing')
  const segment = decodeSegment(bytes)
  if (known === undefined && mayUseBlocks) {
    const summary = summarize(segment)
    records.store(place, bytes, summary)
    if (areShort(summary, longest)) return buckets.addBlocks(summary)
  }
  buckets.addPoints(segment)
}

/** Checks that no block lasts longer than `longest`, as one with a gap does. */
const areShort = ({ first, last }: SegmentSummary, longest: number): boolean =>
  first.every((from, i) => (last[i] as number) - from <= longest)
