/** Entries of a batch, a record in LevelDB's log: sequence (8 bytes) and count (4), then the entries. */
import { Malformed, readSlice, type Cursor } from './varint.js'

/** A write of a key, with LevelDB's sequence number; the higher sequence is the later write. */
export interface BatchEntry {
  key: string
  sequence: number
  /** Undefined when the key was deleted. */
  value: Uint8Array | undefined
}

const HEADER = 12
const DELETED = 0
const PUT = 1

/**
 * Decodes a batch, in its order.
 * @throws Malformed when the record is not a batch
 */
export function entriesOfBatch(record: Uint8Array): BatchEntry[] {
  if (record.length < HEADER) throw new Malformed('a batch is cut short')
  const head = Buffer.from(record.buffer, record.byteOffset, record.length)
  const first = Number(head.readBigUInt64LE(0))
  const count = head.readUInt32LE(8)
  const cursor: Cursor = { bytes: record, at: HEADER }
  const written: BatchEntry[] = []
  while (cursor.at < record.length) {
    const type = record[cursor.at++]
    if (type !== PUT && type !== DELETED) throw new Malformed('a batch has an entry of an unknown kind')
    const key = Buffer.from(readSlice(cursor)).toString('utf8')
    const value = type === PUT ? readSlice(cursor) : undefined
    written.push({ key, sequence: first + written.length, value })
  }
  if (written.length !== count) throw new Malformed('a batch has a wrong number of entries')
  return written
}
