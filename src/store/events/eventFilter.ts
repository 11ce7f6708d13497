/**
 * Filters of event queries. `EventFilter` is the filter of a query; `createPredicate` turns it into a condition on the text
 * of records, cheap checks first.
 *
 * Periods in progress at a time are found by an index of durations: a bucket for each power of two seconds. Candidates of
 * a bucket started within its longest duration before that time, so that periods that ended long before are not read.
 */
import type { Event } from '../model/event.js'
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
import { matches, type ResolvedQuery } from '../model/streamsQuery.js'

/** Filter of an event query (docs/interface/events.md#queries). Times in seconds. */
export interface EventFilter {
  /** Selects events in progress at some time of the window, bounds included; absent: no bound on time. */
  window?: Window
  /** Selects running periods only; of the window, only `to` applies. */
  runningOnly: boolean
  streams: ResolvedQuery
  types?: (type: string) => boolean
  state: 'default' | 'trashed' | 'all'
  /** Selects events modified after this time. */
  modifiedSince?: number
  /** A condition that needs the decoded event. */
  accepts?: (event: Event) => boolean
}

interface Window {
  from: number
  to: number
  /** True when the window includes running periods: only if it covers the present. */
  includeRunning: boolean
}

/** A window that ends more than this many seconds ago does not include the present. */
const PRESENT = 5

/** Checks whether a window covers the present, and with it running periods. Times in seconds. */
export const includesPresent = ({ from, to }: Pick<Window, 'from' | 'to'>, now: number): boolean => from <= now - PRESENT && !isPast(to, now)

/** Checks whether a window that ends at `to` ended before the present. Times in seconds. */
export const isPast = (to: number, now: number): boolean => to < now - PRESENT

/** A condition on the text of a record. */
export type EventPredicate = (record: string) => boolean

const NONE: ReadonlySet<string> = new Set()

/**
 * Creates a predicate for all conditions of a filter except its window, which scans by time already apply. `received`
 * holds ids of events whose arrival counts as modification; see engine/remoteArrivals.ts.
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

/** Creates the condition on streams. The most frequent query, everything, does not inspect the streams of ordinary events. */
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

/** Checks whether a record is in progress at some time of a window, bounds included. */
export function inWindow(record: string, window: Window): boolean {
  return recordTime(record) <= window.to && recordEnd(record) >= window.from
}

/** The bucket of running periods: in progress from their start on. */
export const RUNNING = 'run'

/** Returns the bucket of a duration in seconds: durations up to 2^n seconds, for the smallest such n. */
export function durationBucket(duration: number | null): string {
  if (duration === null) return RUNNING
  let n = Math.max(-20, Math.ceil(Math.log2(duration)))
  // The logarithm of a duration just above a power of two rounds down to the power.
  if (2 ** n < duration) n += 1
  return String(n + 100)
}

/** Returns the longest duration of a bucket, in seconds. */
function longestOf(magnitude: string): number {
  return magnitude === RUNNING ? Infinity : 2 ** (Number(magnitude) - 100)
}

/**
 * Returns a lower bound on the start of periods of a bucket that are in progress at `time`, in seconds. Allows for
 * rounding of the sum of a time and a duration.
 */
export function earliestPossibleStart(magnitude: string, time: number): number {
  const maxLength = longestOf(magnitude)
  return time - maxLength - (Math.abs(time) + maxLength) * 2 ** -50
}
