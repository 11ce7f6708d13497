/** Records of many keys, read in groups that follow how large the records are. */
import { PAGE_BYTES, type Database, type Snapshot } from './database.js'

const FIRST_GROUP = 20
const LARGEST_GROUP = 500
/** How fast groups grow, as long as records turn out small. */
const GROWTH = 4

/**
 * A function that reads the records of keys, in their order, those that are there: groups of as many bytes as a page of
 * the database has. What it learns of the size of records holds for the next keys.
 */
export function recordGroups(db: Database, snapshot: Snapshot): (keys: readonly string[]) => AsyncGenerator<string[]> {
  let size = FIRST_GROUP
  return async function* (keys) {
    for (let at = 0; at < keys.length; ) {
      const asked = Math.min(size, keys.length - at)
      const { records, taken, bytes } = fitting(await db.getMany(keys.slice(at, at + asked), snapshot))
      at += taken
      size = Math.max(1, Math.min(taken < asked ? taken : size * GROWTH, LARGEST_GROUP, Math.ceil((PAGE_BYTES * taken) / Math.max(1, bytes))))
      yield records
    }
  }
}

/** The first of some records that are a page together, one of them at least. The others are read again when it is their turn. */
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
