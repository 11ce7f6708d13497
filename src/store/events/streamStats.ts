/** Counts and latest events of streams. Counts are sums over the sets of streams of an account's events (streamCounts.ts). */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import { findRecord } from './events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../engine/keys.js'
import { recordIsTrashed, recordType } from '../model/eventRecord.js'
import type { Yielder } from '../engine/yield.js'
import { readerOf } from '../engine/recordReader.js'

/** A stream of a forest, with the index of its parent, which precedes it; none for a root. */
export interface ForestStream {
  id: string
  parent?: number
}

/** Numbers of events; each pair has those that are not trashed, and the trashed ones. */
export interface StreamStats {
  /** Events in the stream itself. */
  own: EventNumbers
  /** Events in the stream and its descendants, each counted once. */
  total: EventNumbers
}

interface EventNumbers {
  live: number
  trashed: number
}

/** Events with the same streams. */
interface CountedSet extends EventNumbers {
  readonly streamIds: readonly string[]
}

/**
 * Decides which events count: null for those that never do, else the streams of the event that exclude it from the counts of all
 * streams that are neither these nor above them.
 */
export type ExclusionOf = (streamIds: readonly string[]) => readonly string[] | null

const NONE: readonly string[] = []

/** Sums the events of the streams of a forest, in the order of the list. */
export function sumStreams(forest: readonly ForestStream[], sets: Iterable<CountedSet>, exclusionOf: ExclusionOf = () => NONE): StreamStats[] {
  const sums = forest.map(() => ({ own: { live: 0, trashed: 0 }, total: { live: 0, trashed: 0 } }))
  const places = new Map<string, number[]>()
  for (const [place, { id }] of forest.entries()) places.set(id, [...(places.get(id) ?? []), place])
  for (const set of sets) {
    const excluding = exclusionOf(set.streamIds)
    if (excluding === null) continue
    for (const id of set.streamIds) {
      if (excluding.some((other) => other !== id)) continue
      for (const place of places.get(id) ?? []) add(sums[place]?.own, set)
    }
    const above = pathsOf(forest, places, set.streamIds)
    const bounds = excluding.map((id) => pathsOf(forest, places, [id]))
    for (const place of above) if (bounds.every((path) => path.has(place))) add(sums[place]?.total, set)
  }
  return sums
}

function add(sum: EventNumbers | undefined, { live, trashed }: EventNumbers): void {
  if (sum === undefined) return
  sum.live += live
  sum.trashed += trashed
}

/** Returns the indexes of streams and of those above them. */
function pathsOf(forest: readonly ForestStream[], places: ReadonlyMap<string, readonly number[]>, ids: readonly string[]): Set<number> {
  const found = new Set<number>()
  for (const id of ids) {
    for (const own of places.get(id) ?? NOWHERE) {
      for (let place: number | undefined = own; place !== undefined && !found.has(place); place = forest[place]?.parent) found.add(place)
    }
  }
  return found
}

const NOWHERE: readonly number[] = []

export interface LatestEvent {
  /** The record of the event. */
  record: string
  /** Records of events of the same type, newest first, starting with the event itself. */
  sameType: string[]
}

interface LatestOptions {
  max: number
  trashed: boolean
  /** Condition on the records of events. */
  accepts?(record: string): boolean
}

/** Maximum number of index entries read in search of events of one type. */
const MAX_SEARCHED = 200

/**
 * Returns the latest event directly in a stream, with up to `max` events of its type among the latest entries; undefined for an
 * empty stream. `trashed` includes trashed events;
 * events that `accepts` refuses are passed over.
 */
export async function latestEvent(
  account: Account,
  stream: string,
  { max, trashed, accepts = () => true }: LatestOptions,
  snapshot: Snapshot,
  pause: Yielder,
): Promise<LatestEvent | undefined> {
  const { db, prefix } = account
  const index = accountKeys.streamEvents(prefix, stream)
  const entries = db.entries(under(index), { reverse: true }, snapshot)
  const reader = readerOf(db, snapshot)
  let latest: LatestEvent | undefined
  let type = ''
  let seen = 0
  try {
    for (;;) {
      const page = await entries.next(20)
      if (page.length === 0) return latest
      for (const [key, of] of page) {
        if (latest !== undefined && (latest.sameType.length >= max || seen++ >= MAX_SEARCHED)) return latest
        if (latest !== undefined && of !== type) continue
        const record = findRecord(reader, prefix, key.slice(index.length + ORDERED_LENGTH))
        if (record === undefined || (!trashed && recordIsTrashed(record)) || !accepts(record)) continue
        latest ??= { record, sameType: [] }
        type = recordType(latest.record)
        latest.sameType.push(record)
      }
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
  } finally {
    await entries.close()
  }
}
