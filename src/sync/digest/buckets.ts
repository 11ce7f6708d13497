/** Reads the items of buckets with their states, found by the journal entries of those buckets. */
import type { Snapshot } from '../../store/engine/database.js'
import { readerOf } from '../../store/events/events.js'
import { decodeEntry } from '../../store/engine/journal.js'
import { accountKeys } from '../../store/engine/keys.js'
import { zeroDigest, xorInto, type DigestElement } from '../../store/model/digestElement.js'
import type { ItemRef } from '../items/entry.js'
import { digestDelta, isDocument, itemKindOf } from './digestDelta.js'
import { remainsOf } from './itemStates.js'
import type { BucketByEntry } from './bucketByEntry.js'
import type { DigestSource } from './rebuild.js'
import { BUCKETS, bucketOf } from './bucketDigests.js'

/** An item with its digest element. */
export interface ItemState {
  item: ItemRef
  state: DigestElement
}

/** Number of entries read in one turn of the event loop. */
const READS_A_TURN = 500

const isEmpty = (state: DigestElement): boolean => state.every((byte) => byte === 0)

/**
 * Returns items by bucket, without those that have no state. `places` must include all entries up to `upTo`, which is the
 * end of the journal in `snapshot`, if one is given.
 */
export async function readBuckets(
  { db, seal, account }: DigestSource,
  buckets: ReadonlySet<number>,
  places: BucketByEntry,
  upTo: number,
  snapshot?: Snapshot,
): Promise<Map<number, ItemState[]>> {
  const wanted = new Uint8Array(BUCKETS)
  for (const bucket of buckets) wanted[bucket] = 1
  const found = new Map<string, ItemState>()
  let reads = 0
  for (const sequence of await places.find(wanted, upTo)) {
    if (++reads % READS_A_TURN === 0) await new Promise(setImmediate)
    const bytes = db.getBytes(accountKeys.journal(account, sequence), snapshot)
    const entry = bytes === undefined ? undefined : decodeEntry(bytes)
    const kind = entry === undefined ? undefined : itemKindOf(entry.kind)
    if (entry === undefined || kind === undefined) continue
    const { action, id } = entry
    const effect = digestDelta(entry.kind, action, id, entry.change)
    if (effect === undefined || wanted[bucketOf(effect.item)] !== 1) continue
    let known = found.get(effect.item)
    if (known === undefined) {
      known = { item: { kind, id }, state: zeroDigest() }
      found.set(effect.item, known)
    }
    // Changes that are not erased belong to a live item.
    if (isDocument(entry.kind) && action !== 'delete' && effect.element) xorInto(known.state, effect.element)
  }
  const reader = readerOf(db, snapshot)
  const result = new Map<number, ItemState[]>([...buckets].map((bucket) => [bucket, []]))
  for (const [name, known] of found) {
    if (++reads % READS_A_TURN === 0) await new Promise(setImmediate)
    for (const element of remainsOf(reader, seal, account, known.item.kind, known.item.id)) xorInto(known.state, element)
    if (!isEmpty(known.state)) result.get(bucketOf(name))?.push(known)
  }
  return result
}
