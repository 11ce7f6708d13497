/** Merges the indexes of several streams into one sequence by time, each event once. */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import type { EventPredicate } from './eventFilter.js'
import { accountKeys } from '../engine/keys.js'
import { filtered, type Yielder } from '../engine/yield.js'
import { mergeRanges, type KeyBounds, type RangeOrder } from '../engine/mergeRanges.js'
import { recordGroups } from '../engine/recordGroups.js'

/** Part of the query that the merge needs. */
export interface MergeOrder extends RangeOrder {
  types?: (type: string) => boolean
}

/** Returns pages of matching records of some streams, in the order of the answer. Closes all indexes when the consumer stops. */
export async function* mergeStreams(
  account: Account,
  streams: ReadonlySet<string> | undefined,
  bounds: KeyBounds,
  order: MergeOrder,
  keep: EventPredicate,
  { snapshot, pause }: { snapshot: Snapshot; pause: Yielder },
): AsyncGenerator<string[]> {
  const { db, prefix } = account
  const { types } = order
  const indexes = [...(streams ?? [])].map((stream) => accountKeys.streamEvents(prefix, stream))
  const events = accountKeys.events(prefix)
  const recordKey = (end: string, type: string): string | undefined =>
    types === undefined || types(type) ? events + end : undefined
  const recordsOf = recordGroups(db, snapshot)
  for await (const keys of mergeRanges(db, indexes, bounds, order, snapshot, recordKey, pause)) {
    // An empty page lets the consumer stop a long search.
    if (keys.length === 0) yield []
    for await (const found of recordsOf(keys)) yield filtered(found, keep, pause)
  }
}
