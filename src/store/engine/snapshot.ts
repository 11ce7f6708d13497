/** A database as it was at one moment, for whoever reads much of it while others go on writing. */
import type { Database, Snapshot } from './database.js'

/** A fixed view; reads alone go through it. To be closed. */
export interface SnapshotView {
  readonly db: Database
  /** Snapshot behind the view, for code that reads the database directly. */
  readonly snapshot: Snapshot
  close(): Promise<void>
}

/** The database as it is now. */
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
