/** Reads the points of a series that another node lacks, as entries. */
import type { Account } from '../../store/engine/account.js'
import { piecesSince } from '../../store/series/pointsSince.js'
import type { SeriesEntry } from '../items/entry.js'

/** Approximate maximum of encoded bytes returned at once. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Returns the points of the series of `event` after a version vector (timestamps in microseconds by actor, 0 for missing
 * actors), from one snapshot, up to about `max` bytes. The entries of an actor are consecutive. A receiver calls again with
 * its new version vector until the result is empty. Empty for events without a series.
 * @throws SegmentDamaged
 */
export async function pointsSince(
  account: Account,
  event: string,
  reaches: ReadonlyMap<string, number>,
  max = MAX_BYTES,
): Promise<SeriesEntry[]> {
  const entries: SeriesEntry[] = []
  let size = 0
  for await (const piece of piecesSince(account, event, reaches)) {
    entries.push({ kind: 'series', id: event, ...piece })
    for (const { length } of piece.segments) size += length
    if (size >= max) break
  }
  return entries
}
