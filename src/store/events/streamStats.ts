/** How much is in streams and what came last, from their indexes: no record is read to be counted. */
import type { Account } from '../engine/account.js'
import type { Snapshot } from '../engine/database.js'
import { findRecord, readerOf } from './events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../engine/keys.js'
import { recordIsTrashed, recordType } from '../model/eventRecord.js'
import type { Yielder } from '../engine/yield.js'
import { mergeByKeySuffix } from '../engine/mergeRanges.js'

/** A stream of a forest: its parent comes before it, by its place in the list; none for a root. */
export interface ForestStream {
  id: string
  parent?: number
}

export interface StreamStats {
  /** Events in the stream itself, trashed ones too. */
  own: number
  /** Those and the events of the streams below it, each once. */
  total: number
}

/** Counts the events of the streams of a forest, at one moment, in their order. */
export async function countEvents(account: Account, forest: readonly ForestStream[], snapshot: Snapshot, pause: Yielder): Promise<StreamStats[]> {
  const sums = forest.map(() => ({ own: 0, total: 0 }))
  /** How often an event was added up to a stream for more than one of those below it. */
  const again = forest.map(() => 0)
  for (const tree of treesOf(forest)) {
    const prefixes = tree.map((place) => accountKeys.streamEvents(account.prefix, forest[place]?.id ?? ''))
    const meet = (holders: readonly number[]): void => {
      for (const holder of holders) add(sums[tree[holder] ?? -1])
      if (holders.length === 1) return
      const places = holders.map((each) => tree[each] ?? -1)
      for (const place of repeats(forest, places)) again[place] = (again[place] ?? 0) + 1
    }
    await mergeByKeySuffix(account.db, prefixes, snapshot, meet, pause)
  }
  // Those below come behind their parents.
  for (let place = forest.length - 1; place >= 0; place--) {
    const sum = sums[place]
    if (sum === undefined) continue
    sum.total += sum.own
    const parent = sums[forest[place]?.parent ?? -1]
    if (parent !== undefined) parent.total += sum.total
  }
  return sums.map(({ own, total }, place) => ({ own, total: total - (again[place] ?? 0) }))
}

const add = (sum: StreamStats | undefined): void => {
  if (sum !== undefined) sum.own += 1
}

/** The places of each tree of a forest. */
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

/** The streams to which an event of several streams is added up more than once, one time for each time too many. */
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
  /** Records of its type before it, the newest first, and itself at the front. */
  alike: string[]
}

/** Entries of an index that are looked at for events of one type. */
const FAR = 200

/**
 * The latest event in a stream itself, and up to `most` of its type as far as they are near; undefined in an empty
 * stream. With `trashed`, what lies in the trash counts too.
 */
export async function latestEvent(
  account: Account,
  stream: string,
  { most: max, trashed }: { most: number; trashed: boolean },
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
        if (latest !== undefined && (latest.alike.length >= max || seen++ >= FAR)) return latest
        if (latest !== undefined && of !== type) continue
        const record = findRecord(reader, prefix, key.slice(index.length + ORDERED_LENGTH))
        if (record === undefined || (!trashed && recordIsTrashed(record))) continue
        latest ??= { record, alike: [] }
        type = recordType(latest.record)
        latest.alike.push(record)
      }
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
  } finally {
    await entries.close()
  }
}
