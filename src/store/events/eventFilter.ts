/** Which events a query wants: conditions on the text of a record, the cheap ones first. */
import {
  recordEnd,
  recordId,
  recordIsOfAccount,
  recordIsRunning,
  recordIsTrashed,
  recordModified,
  recordStreamIds,
  recordTime,
  recordToEvent,
  recordType,
} from '../model/eventRecord.js'
import type { Event } from '../model/event.js'
import { matches, type ResolvedQuery } from '../model/streamsQuery.js'

/** What is looked for (data supplement 2.2). Times in seconds. */
export interface EventFilter {
  /** Events in progress at some moment of the window, bounds included; absent: no bound on time. */
  window?: Window
  /** Only running periods; of the window, `to` alone counts. */
  runningOnly: boolean
  streams: ResolvedQuery
  types?: (type: string) => boolean
  state: 'default' | 'trashed' | 'all'
  /** Only events modified after this. */
  modifiedSince?: number
  /** A condition that needs the event itself. */
  accepts?: (event: Event) => boolean
}

export interface Window {
  from: number
  to: number
  /** Whether running periods are in progress in it: only when it covers the present. */
  includeRunning: boolean
}

/** A condition on a record. */
export type EventPredicate = (record: string) => boolean

const NONE: ReadonlySet<string> = new Set()

/**
 * Every condition of a filter but the bounds of its window, which scans by time have already met. `received` are the ids of
 * events that count as modified later than they say: see received.ts.
 */
export function createPredicate(filter: EventFilter, received: ReadonlySet<string> = NONE): EventPredicate {
  const { state, runningOnly, types, modifiedSince, accepts, window } = filter
  const checks: EventPredicate[] = []
  if (state === 'default') checks.push((record) => !recordIsTrashed(record))
  if (state === 'trashed') checks.push(recordIsTrashed)
  checks.push(streamsCheck(filter.streams))
  if (types !== undefined) checks.push((record) => types(recordType(record)))
  if (runningOnly) checks.push(recordIsRunning)
  else if (window !== undefined && !window.includeRunning) checks.push((record) => !recordIsRunning(record))
  if (modifiedSince !== undefined) {
    const isLater: EventPredicate = (record) => recordModified(record) > modifiedSince
    checks.push(received.size === 0 ? isLater : (record) => isLater(record) || received.has(recordId(record)))
  }
  if (accepts !== undefined) checks.push((record) => accepts(JSON.parse(record) as Event))
  const [first] = checks
  return checks.length === 1 && first !== undefined ? first : (record) => checks.every((check) => check(record))
}

/** The query that most personal tokens send, everything, needs no look at the streams of ordinary events. */
function streamsCheck(streams: ResolvedQuery): EventPredicate {
  const [only] = streams
  if (streams.length === 1 && only?.any === 'everything' && only.all.length === 0 && only.not.size === 0 && only.tagged === undefined) {
    return (record) => !recordIsOfAccount(record) || only.account.has(recordStreamIds(record)[0] ?? '')
  }
  if (streams.some(({ tagged }) => tagged !== undefined)) {
    return (record) => matches(streams, recordStreamIds(record), () => recordToEvent(record).tags)
  }
  return (record) => matches(streams, recordStreamIds(record))
}

/** Whether a record is in progress at some moment of a window, bounds included. */
export function inWindow(record: string, window: Window): boolean {
  return recordTime(record) <= window.to && recordEnd(record) >= window.from
}
