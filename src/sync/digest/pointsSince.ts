/** What another node lacks of a series, as entries. */
import type { Account } from '../../store/engine/account.js'
import { piecesSince } from '../../store/series/pointsSince.js'
import type { SeriesEntry } from '../items/entry.js'

/** Encoded bytes of points that are answered at once, about. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * The points of the series of `event` behind given reaches (stamps in microseconds by actor, 0 where an actor is not
 * named), as of one moment, up to `most` bytes, about. The entries of an actor follow one another; whoever has taken them
 * all in asks again with its reaches, until there are none. None for an event without a series.
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
