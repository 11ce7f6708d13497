/**
 * LevelDB's log format, shared by its write-ahead logs and its MANIFEST: blocks of 32 KiB with fragments of records,
 * each with a header of checksum (4 bytes), length (2) and type (1). LevelDB drops invalid fragments and continues;
 * `readLog` reports them. A record of a write-ahead log is a batch of writes, which `entriesOfBatch` decodes.
 */
import { crc32c, Malformed, readSlice, unmaskCrc, type Cursor } from './encodings.js'

const BLOCK = 32 * 1024
const HEADER = 7
const FULL = 1
const FIRST = 2
const MIDDLE = 3
const LAST = 4

/** A part of a log at `offset`: a whole record, damage, or the unfinished end that a crash leaves. */
type LogPart =
  | { kind: 'record'; offset: number; record: Uint8Array }
  | { kind: 'damage'; offset: number; what: string }
  | { kind: 'unfinished'; offset: number }

/**
 * Returns the records of a log, in order, with the damage between them. After damage, reading continues at the next
 * block, as in LevelDB. `unfinished` comes last, at most once, and is not damage.
 *
 * A killed process leaves a prefix of what it wrote, because the kernel keeps every byte it has accepted. So does a
 * power cut, because file systems grow a file over new blocks only once these are written. But within an existing
 * block, the file's length may be on disk before its new content, which then reads as zeros. So a file that ends inside
 * its last record, or in zeros after one within one block, is unfinished. The high-water mark and missing files reveal
 * lost acknowledged commits. A complete record with a wrong checksum, or more zeros, mean that the disk changed bytes.
 */
export function* readLog(bytes: Buffer): Generator<LogPart, void> {
  let at = 0
  let start = 0
  let fragments: Uint8Array[] | undefined
  // After damage, the rest of its record is dropped without a second report.
  let lost = false

  while (at < bytes.length) {
    const room = BLOCK - (at % BLOCK)
    if (room < HEADER) {
      if (!isZero(bytes.subarray(at, at + room))) {
        yield { kind: 'damage', offset: at, what: 'has bytes in the padding of a block' }
      }
      at += room
      continue
    }
    const found = fragmentAt(bytes, at, room)
    if (found === 'unfinished') {
      yield { kind: 'unfinished', offset: fragments === undefined ? at : start }
      return
    }
    const what = typeof found === 'string' ? found : outOfPlace(found.type, fragments !== undefined, lost)
    if (what !== undefined) yield { kind: 'damage', offset: at, what }
    if (typeof found === 'string') {
      // Its length may be wrong too: only the next block is a known start.
      fragments = undefined
      lost = true
      at += room
      continue
    }
    if (found.type === FULL || found.type === FIRST) {
      start = at
      fragments = [found.data]
      lost = false
    } else {
      fragments?.push(found.data)
    }
    if (fragments !== undefined && (found.type === FULL || found.type === LAST)) {
      const [only] = fragments
      const record = fragments.length === 1 && only !== undefined ? only : Buffer.concat(fragments)
      fragments = undefined
      yield { kind: 'record', offset: start, record }
    } else if (fragments === undefined) {
      lost = true
    }
    at += HEADER + found.data.length
  }
  if (fragments !== undefined) yield { kind: 'unfinished', offset: start }
}

/**
 * Returns the fragment at `at`, where `room` bytes of the block are left; otherwise a description of the damage, or
 * `unfinished`.
 */
function fragmentAt(bytes: Buffer, at: number, room: number): { type: number; data: Uint8Array } | string {
  const left = bytes.length - at
  if (left < HEADER) return 'unfinished'
  const length = bytes.readUInt16LE(at + 4)
  const type = bytes[at + 6] ?? 0
  if (type === 0 && length === 0) {
    if (!isZero(bytes.subarray(at))) return 'holds zeros in the place of a record'
    return isWithinBlock(at, bytes.length) ? 'unfinished' : 'holds zeros from here to its end'
  }
  if (type < FULL || type > LAST) return 'has a record of an unknown type'
  const end = HEADER + length
  if (end > room) return 'has a record that is longer than its block'
  // The writer splits a record only at the end of a block.
  if ((type === FIRST || type === MIDDLE) && end !== room) return 'has a record that breaks off inside its block'
  if (end > left) return isCutShort(bytes, at) ? 'unfinished' : 'has a record with a wrong length'
  if (!checks(bytes, at, length)) return 'has a record with a wrong checksum'
  return { type, data: bytes.subarray(at + HEADER, at + end) }
}

/** Block size of most file systems; with larger blocks, fewer tails count as unfinished. */
const DISK_BLOCK = 4096

/** Checks whether bytes lie in one block, after earlier content of that block. */
const isWithinBlock = (from: number, to: number): boolean => from % DISK_BLOCK > 0 && Math.ceil(from / DISK_BLOCK) * DISK_BLOCK >= to

function outOfPlace(type: number, inside: boolean, lost: boolean): string | undefined {
  const continues = type === MIDDLE || type === LAST
  if (continues && !inside && !lost) return 'continues a record that has no beginning'
  if (!continues && inside) return 'begins a record before the one before it has ended'
  return undefined
}

/**
 * Checks whether the record at `at`, whose length points beyond the end of the file, was being written when the writer
 * died. It was not if a whole record under another length is there, or whole records follow. Then the length is
 * damaged, and LevelDB would drop the rest of the log as after a crash.
 */
function isCutShort(bytes: Buffer, at: number): boolean {
  const expected = unmaskCrc(bytes.readUInt32LE(at))
  let crc = 0
  for (let i = at + HEADER - 1; i < bytes.length; i++) {
    crc = crc32c(bytes.subarray(i, i + 1), crc)
    if (crc === expected) return false
  }
  for (let i = at + 1; i + HEADER <= bytes.length; i++) {
    const type = bytes[i + 6] ?? 0
    const length = bytes.readUInt16LE(i + 4)
    if (type < FULL || type > LAST || i + HEADER + length > bytes.length) continue
    if (checks(bytes, i, length)) return false
  }
  return true
}

function checks(bytes: Buffer, at: number, length: number): boolean {
  // The checksum covers the type and the data, which follow each other.
  return crc32c(bytes.subarray(at + HEADER - 1, at + HEADER + length)) === unmaskCrc(bytes.readUInt32LE(at))
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** A write of a key, with LevelDB's sequence number; the higher sequence is the later write. */
export interface BatchEntry {
  key: string
  sequence: number
  /** Undefined when the key was deleted. */
  value: Uint8Array | undefined
}

const BATCH_HEADER = 12
const DELETED = 0
const PUT = 1

/**
 * Decodes a batch, in its order.
 * @throws Malformed when the record is not a batch
 */
export function entriesOfBatch(record: Uint8Array): BatchEntry[] {
  if (record.length < BATCH_HEADER) throw new Malformed('a batch is cut short')
  const head = Buffer.from(record.buffer, record.byteOffset, record.length)
  const first = Number(head.readBigUInt64LE(0))
  const count = head.readUInt32LE(8)
  const cursor: Cursor = { bytes: record, at: BATCH_HEADER }
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
