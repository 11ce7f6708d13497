/** Finds events with files, the newest first, without reading the other events of the account. */
import type { Event } from '../../../../store/model/event.js'
import { get } from '../../../api/events/get.js'
import { summary } from '../../../api/events/summary.js'
import type { OwnVisit } from '../../page.js'
import { readAsOwner } from '../../session.js'
import type { TimePosition } from '../../timePosition.js'

/** Types of events that consist of files. */
const FILE_TYPES = ['picture/attached', 'file/attached', 'file/attached-multiple', 'audio/attached', 'video/attached'] as const

/** Number of spans of time in which files are counted. */
const SPANS = 1000
/** Seconds by which spans overlap, since their boundaries are rounded. */
const ROUNDING = 0.001

/** Maximum number of events of one time that are read to be skipped. */
const MAX_SKIP = 10_000

export interface FilePage {
  events: Event[]
  /** Where the next page begins; absent on the last one. */
  next?: TimePosition
}

interface Counts {
  fromTime?: number
  toTime?: number
  groups: { buckets: { index: number[] } }[]
  more?: boolean
}

/**
 * Loads a page of events with files. `streams`: the query of events.get, absent for all streams that the access opens.
 * @throws Failure of events.summary and events.get; `unknown-referenced-resource` for an unknown stream
 */
export async function loadFileEvents(visit: OwnVisit, streams: readonly unknown[] | undefined, at: TimePosition | undefined, limit: number): Promise<FilePage> {
  const filter = { ...(streams === undefined ? {} : { streams }), types: [...FILE_TYPES] }
  const { until } = at ?? {}
  const skip = Math.min(at?.skip ?? 0, MAX_SKIP)
  const wanted = skip + limit + 1
  const found: Event[] = []
  for (const span of await spansOf(visit, filter, until)) {
    const { events } = (await readAsOwner(visit, visit.session, get, { ...filter, ...span, limit: wanted - found.length })) as { events: Event[] }
    // Spans overlap at their boundaries.
    const known = new Set(found.map(({ id }) => id))
    found.push(...events.filter(({ id }) => !known.has(id)))
    if (found.length >= wanted) break
  }
  // Files with a duration reach into later spans.
  found.sort((a, b) => b.time - a.time)
  const events = found.slice(skip, skip + limit)
  const last = events.at(-1)
  if (found.length <= skip + limit || last === undefined) return { events }
  const before = found.slice(0, skip + limit).filter(({ time }) => time === last.time).length
  return { events, next: { until: last.time, skip: before } }
}

/** Returns the spans of time that have files, the latest first; neighbours are joined. */
async function spansOf(visit: OwnVisit, filter: object, until: number | undefined): Promise<{ fromTime: number; toTime: number }[]> {
  const end = until === undefined ? {} : { toTime: until }
  const { summary: counts } = (await readAsOwner(visit, visit.session, summary, { ...filter, ...end, points: SPANS })) as { summary: Counts }
  const { fromTime, toTime, groups, more } = counts
  if (fromTime === undefined || toTime === undefined || groups.length === 0) return []
  if (more === true) return [{ fromTime, toTime }]
  const length = (toTime - fromTime) / SPANS
  const filled = [...new Set(groups.flatMap(({ buckets }) => buckets.index))].sort((a, b) => b - a)
  const spans: { first: number; last: number }[] = []
  for (const index of filled) {
    const latest = spans.at(-1)
    if (latest?.first === index + 1) latest.first = index
    else spans.push({ first: index, last: index })
  }
  return spans.map(({ first, last }) => ({
    fromTime: fromTime + first * length - ROUNDING,
    toTime: Math.min(toTime, fromTime + (last + 1) * length + ROUNDING),
  }))
}
