/** Reads records of many keys in groups whose size adapts to that of the records. */
import { PAGE_BYTES, type Database, type Snapshot } from './database.js'

const FIRST_GROUP = 20
const MAX_GROUP_SIZE = 500
/** Growth factor of groups while records are small. */
const GROWTH = 4

/**
 * Creates a function that reads the existing records of keys, in order, in groups of about one database page. The record
 * size it measures carries over to the next keys.
 */
export function recordGroups(db: Database, snapshot: Snapshot): (keys: readonly string[]) => AsyncGenerator<string[]> {
  let size = FIRST_GROUP
  return async function* (keys) {
    for (let at = 0; at < keys.length; ) {
      const input = Math.min(size, keys.length - at)
      const { records, taken, bytes } = fitting(await db.getMany(keys.slice(at, at + input), snapshot))
      at += taken
      size = Math.max(1, Math.min(taken < input ? taken : size * GROWTH, MAX_GROUP_SIZE, Math.ceil((PAGE_BYTES * taken) / Math.max(1, bytes))))
      yield records
    }
  }
}

/** Returns the leading records that fit in a page, at least one. The next call reads the others again. */
function fitting(found: readonly (string | undefined)[]): { records: string[]; taken: number; bytes: number } {
  const records: string[] = []
  let taken = 0
  let bytes = 0
  for (const record of found) {
    const length = record?.length ?? 0
    if (taken > 0 && bytes + length > 2 * PAGE_BYTES) break
    taken += 1
    bytes += length
    if (record !== undefined) records.push(record)
  }
  return { records, taken, bytes }
}
