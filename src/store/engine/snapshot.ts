/** Read-only view over a LevelDB snapshot. */
import type { Database, Snapshot } from './database.js'

/** A fixed view of the database, for reads only; the caller closes it. */
export interface SnapshotView {
  readonly db: Database
  /** Snapshot behind the view, for code that reads the database directly. */
  readonly snapshot: Snapshot
  close(): Promise<void>
}

/** Opens a view of the database as it is now. */
export function openSnapshot(db: Database): SnapshotView {
  const snapshot = db.snapshot()
  const still: Database = {
    ...db,
    get: (key) => db.get(key, snapshot),
    getBytes: (key) => db.getBytes(key, snapshot),
    getMany: (keys) => db.getMany(keys, snapshot),
    values: (range, options) => db.values(range, options, snapshot),
    keys: (range, options) => db.keys(range, options, snapshot),
    entries: (range, options) => db.entries(range, options, snapshot),
    byteEntries: (range, options) => db.byteEntries(range, options, snapshot),
  }
  return { db: still, snapshot, close: () => snapshot.close() }
}
