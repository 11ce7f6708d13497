/** Counts and latest events of streams, from their indexes: counting reads no records. */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import { findRecord } from './events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../engine/keys.js'
import { recordIsTrashed, recordType } from '../model/eventRecord.js'
import type { Yielder } from '../engine/yield.js'
import { mergeByKeySuffix } from '../engine/mergeRanges.js'
import { readerOf } from '../engine/recordReader.js'

/** A stream of a forest, with the index of its parent, which precedes it; none for a root. */
export interface ForestStream {
  id: string
  parent?: number
}

export interface StreamStats {
  /** Number of events in the stream itself, trashed ones included. */
  own: number
  /** Number of events in the stream and its descendants, each counted once. */
  total: number
}

/** Counts the events of the streams of a forest in one snapshot, in the order of the list. */
export async function countEvents(account: Account, forest: readonly ForestStream[], snapshot: Snapshot, pause: Yielder): Promise<StreamStats[]> {
  const sums = forest.map(() => ({ own: 0, total: 0 }))
  /** By stream: how many times events were counted more than once, through several of its descendants. */
  const excess = forest.map(() => 0)
  for (const tree of treesOf(forest)) {
    const prefixes = tree.map((place) => accountKeys.streamEvents(account.prefix, forest[place]?.id ?? ''))
    const meet = (holders: readonly number[]): void => {
      for (const holder of holders) add(sums[tree[holder] ?? -1])
      if (holders.length === 1) return
      const places = holders.map((each) => tree[each] ?? -1)
      for (const place of repeats(forest, places)) excess[place] = (excess[place] ?? 0) + 1
    }
    await mergeByKeySuffix(account.db, prefixes, snapshot, meet, pause)
  }
  // Children follow their parents.
  for (let place = forest.length - 1; place >= 0; place--) {
    const sum = sums[place]
    if (sum === undefined) continue
    sum.total += sum.own
    const parent = sums[forest[place]?.parent ?? -1]
    if (parent !== undefined) parent.total += sum.total
  }
  return sums.map(({ own, total }, place) => ({ own, total: total - (excess[place] ?? 0) }))
}

const add = (sum: StreamStats | undefined): void => {
  if (sum !== undefined) sum.own += 1
}

/** Returns the indexes of each tree of a forest. */
function treesOf(forest: readonly ForestStream[]): number[][] {
  const trees: number[][] = []
  const treeOf: number[][] = []
  for (const [place, { parent }] of forest.entries()) {
    const above = parent === undefined ? undefined : treeOf[parent]
    const tree = above ?? []
    if (above === undefined) trees.push(tree)
    tree.push(place)
    treeOf.push(tree)
  }
  return trees
}

/** Returns the streams to which an event of several streams is added more than once, once per excess. */
function repeats(forest: readonly ForestStream[], holders: readonly number[]): number[] {
  const seen = new Set<number>()
  const found: number[] = []
  for (const holder of holders) {
    for (let place: number | undefined = holder; place !== undefined; place = forest[place]?.parent) {
      if (seen.has(place)) found.push(place)
      seen.add(place)
    }
  }
  return found
}

export interface LatestEvent {
  /** The record of the event. */
  record: string
  /** Records of events of the same type, newest first, starting with the event itself. */
  sameType: string[]
}

/** Maximum number of index entries read in search of events of one type. */
const MAX_SEARCHED = 200

/**
 * Returns the latest event directly in a stream, with up to `max` events of its type among the latest entries; undefined for an
 * empty stream. `trashed` includes trashed events.
 */
export async function latestEvent(
  account: Account,
  stream: string,
  { max, trashed }: { max: number; trashed: boolean },
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
        if (record === undefined || (!trashed && recordIsTrashed(record))) continue
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
