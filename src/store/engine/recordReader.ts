/** Reads of single records: what functions need of a transaction, an account or a snapshot of the database. */
import type { Database, Snapshot } from './database.js'

/** Source of stored records by key: the database, one of its snapshots, or a transaction with its staged writes. */
export interface RecordReader {
  get(key: string): string | undefined
}

/** Returns a reader of the database, or of one of its snapshots. */
export const readerOf = (db: Database, snapshot?: Snapshot): RecordReader => ({ get: (key) => db.get(key, snapshot) })
