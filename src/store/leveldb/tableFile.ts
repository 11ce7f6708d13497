/**
 * LevelDB's tables: data blocks, filter, metaindex, index, each followed by its compression type and its masked
 * checksum, and a footer with the places of metaindex and index.
 *
 * `verifyTable` verifies the checksums, which LevelDB does not verify on reads. `readTable` salvages the entries of a
 * table, valid or damaged: those of every block with a valid checksum. With a damaged index, blocks are found by their
 * checksums alone, and any key may be missing.
 */
import type { Damage } from './damage.js'
import { crc32c, crcByByte, Malformed, readVarint, unmaskCrc, unsnap, type Cursor } from './encodings.js'
import type { BatchEntry } from './logFile.js'

const FOOTER = 48
const TRAILER = 5
const MAGIC = 0xdb4775248b80fb57n
const PLAIN = 0
const SNAPPY = 1

/** Place of a block in its file. */
interface Block {
  offset: number
  size: number
}

/**
 * Verifies the whole table in `bytes`: every block's checksum, and that the blocks cover the file without gaps. Returns
 * the damage, naming `file`; empty for a valid table.
 */
export function verifyTable(file: string, bytes: Buffer): Damage[] {
  try {
    const { metaindex, index } = footer(bytes)
    const broken = [index, metaindex].filter((block) => !checks(bytes, block))
    if (broken.length > 0) return broken.map((block) => wrongChecksum(file, block))
    const blocks = [...handles(bytes, index), ...handles(bytes, metaindex)].sort((a, b) => a.offset - b.offset)
    return [...gaps(file, blocks, metaindex), ...verifyBlocks(file, bytes, blocks)]
  } catch (error) {
    if (error instanceof Malformed) return [{ file, what: `is not a valid table: ${error.message}` }]
    throw error
  }
}

function verifyBlocks(file: string, bytes: Buffer, blocks: Block[]): Damage[] {
  return blocks.filter((block) => !checks(bytes, block)).map((block) => wrongChecksum(file, block))
}

function wrongChecksum(file: string, block: Block): Damage {
  return { file, offset: block.offset, what: `has a block with a wrong checksum (${block.size} bytes)` }
}

/** Checks whether the block lies in the file and its checksum is valid. */
function checks(bytes: Buffer, { offset, size }: Block): boolean {
  const end = offset + size + 1
  if (end + 4 > bytes.length - FOOTER) return false
  return crc32c(new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size + 1)) === unmaskCrc(bytes.readUInt32LE(end))
}

/**
 * Returns the places of metaindex and index.
 * @throws Malformed unless they end exactly where the footer begins
 */
function footer(bytes: Buffer): { metaindex: Block; index: Block } {
  const at = bytes.length - FOOTER
  if (at < 0) throw new Malformed('it is shorter than a footer')
  if (bytes.readBigUInt64LE(at + 40) !== MAGIC) throw new Malformed('its footer has a wrong magic number')
  const cursor = { bytes: bytes.subarray(at, at + 40), at: 0 }
  const metaindex = readBlock(cursor)
  const index = readBlock(cursor)
  const padded = cursor.bytes.subarray(cursor.at).every((byte) => byte === 0)
  if (!padded || endOf(metaindex) !== index.offset || endOf(index) !== at) throw new Malformed('its footer is wrong')
  return { metaindex, index }
}

/** Reads the place of a block. */
function readBlock(cursor: Cursor): Block {
  return { offset: readVarint(cursor), size: readVarint(cursor) }
}

function endOf(block: Block): number {
  return block.offset + block.size + TRAILER
}

/** Returns the blocks that an index block names as the values of its entries. */
function handles(bytes: Buffer, block: Block): Block[] {
  const entries = content(bytes, block)
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength)
  if (entries.length < 4) throw new Malformed('an index is cut short')
  // The offsets of the restart points follow the entries, then their number.
  const end = entries.length - 4 - 4 * view.getUint32(entries.length - 4, true)
  if (end < 0) throw new Malformed('an index has too many restart points')
  const cursor = { bytes: entries.subarray(0, end), at: 0 }
  const found: Block[] = []
  while (cursor.at < end) {
    readVarint(cursor) // bytes shared with the key before
    const keyBytes = readVarint(cursor)
    const valueBytes = readVarint(cursor)
    const value = cursor.at + keyBytes
    if (value + valueBytes > end) throw new Malformed('an entry of an index is cut short')
    cursor.at = value
    found.push(readBlock(cursor))
    cursor.at = value + valueBytes
  }
  return found
}

/** Returns the decompressed content of a block. */
function content(bytes: Buffer, { offset, size }: Block): Uint8Array {
  const stored = bytes.subarray(offset, offset + size)
  const compression = bytes[offset + size]
  if (compression === PLAIN) return stored
  if (compression === SNAPPY) return unsnap(stored)
  throw new Malformed('an index is compressed in an unknown way')
}

/** Reports bytes between the blocks and before the metaindex: LevelDB leaves none. */
function gaps(file: string, blocks: Block[], metaindex: Block): Damage[] {
  let at = 0
  for (const block of [...blocks, metaindex]) {
    if (block.offset !== at) return [{ file, offset: at, what: 'has bytes that belong to no block' }]
    at = endOf(block)
  }
  return []
}

/** Length of the end of a table key: sequence (7 bytes) and type (1). */
const INTERNAL = 8
const DELETED = 0
const PUT = 1
/** Maximum length of a block: usually about 4 KiB, or a single larger entry. */
const MAX_BLOCK_LENGTH = 4 * 1024 * 1024
/** Maximum distance after damage within which the next block is searched, byte by byte. */
const MAX_GAP_LENGTH = 64 * 1024
const USUAL_BLOCK = 16 * 1024

/** A range of keys, both bounds included. */
export interface KeyRange {
  from: string
  to: string
}

/** Readable part of a table. */
interface ReadTable {
  /** Returns the entries of all valid blocks, in the order of the blocks. */
  entries(): Generator<BatchEntry>
  /** Key ranges with possible losses; empty for a valid table. */
  lost: KeyRange[]
}

/** The range of all possible keys. */
export const ANY_KEY: KeyRange = { from: '', to: '\u{10ffff}' }

export function readTable(bytes: Buffer): ReadTable {
  const indexed = indexOf(bytes)
  if (indexed === undefined) {
    const blocks = searched(bytes)
    return { entries: () => entriesOf(bytes, blocks), lost: [ANY_KEY] }
  }
  const sound = indexed.filter(({ block }) => holds(bytes, block))
  const lost = indexed.flatMap(({ block, upTo }, i) =>
    holds(bytes, block) ? [] : [{ from: indexed[i - 1]?.upTo ?? '', to: upTo }],
  )
  return { entries: () => entriesOf(bytes, sound.map(({ block }) => block)), lost }
}

function* entriesOf(bytes: Buffer, blocks: readonly Block[]): Generator<BatchEntry> {
  for (const block of blocks) {
    try {
      yield* entriesOfBlock(content(bytes, block))
    } catch (error) {
      // Its checksum is valid, so it is not a block of entries, but for instance the filter.
      if (!(error instanceof Malformed)) throw error
    }
  }
}

/** Returns the blocks of a valid index, each with an upper bound of its keys; undefined for a damaged index. */
function indexOf(bytes: Buffer): { block: Block; upTo: string }[] | undefined {
  try {
    const { index } = footer(bytes)
    if (!checks(bytes, index)) return undefined
    return [...pairsOf(content(bytes, index))].map(([key, place]) => ({
      block: readBlock({ bytes: place, at: 0 }),
      upTo: key.toString('utf8', 0, Math.max(0, key.length - INTERNAL)),
    }))
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Finds blocks without an index; leaves out a block that lists the others. */
function searched(bytes: Buffer): Block[] {
  const blocks: Block[] = []
  for (let at = 0, gap = 0; at + TRAILER < bytes.length && gap < MAX_GAP_LENGTH; ) {
    const size = sizeAt(bytes, at, gap === 0 ? MAX_BLOCK_LENGTH : USUAL_BLOCK)
    if (size === undefined) {
      at += 1
      gap += 1
      continue
    }
    blocks.push({ offset: at, size })
    at += size + TRAILER
    gap = 0
  }
  const places = new Set(blocks.map(({ offset, size }) => `${offset} ${size}`))
  return blocks.filter((block) => !lists(bytes, block, places))
}

/** Returns the bytes of the block that starts at an offset, as its checksum shows; undefined when none does. */
function sizeAt(bytes: Buffer, at: number, max: number): number | undefined {
  const end = Math.min(bytes.length - 4, at + max)
  const next = crcByByte()
  for (let i = at; i < end; i++) {
    const crc = next(bytes[i] ?? 0)
    // A block contains at least its restart points, and its compression type follows.
    if (i - at >= 8 && (bytes[i] ?? 2) < 2 && crc === unmaskCrc(bytes.readUInt32LE(i + 1))) return i - at
  }
  return undefined
}

/** Checks the checksum of a block in a file that may be truncated. */
function holds(bytes: Buffer, { offset, size }: Block): boolean {
  const end = offset + size + 1
  return end + 4 <= bytes.length && crc32c(bytes.subarray(offset, end)) === unmaskCrc(bytes.readUInt32LE(end))
}

/** Checks whether a block is an index: its values are the places of other blocks. */
function lists(bytes: Buffer, block: Block, places: ReadonlySet<string>): boolean {
  try {
    const listed = valuesOf(content(bytes, block)).map((value) => {
      const cursor: Cursor = { bytes: value, at: 0 }
      const { offset, size } = readBlock(cursor)
      return cursor.at === value.length && places.has(`${offset} ${size}`)
    })
    return listed.length > 0 && listed.every(Boolean)
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

const valuesOf = (entries: Uint8Array): Uint8Array[] => [...pairsOf(entries)].map(([, value]) => value)

function* entriesOfBlock(entries: Uint8Array): Generator<BatchEntry> {
  for (const [key, value] of pairsOf(entries)) {
    if (key.length < INTERNAL) throw new Malformed('a key has no sequence')
    const end = key.length - INTERNAL
    const type = key[end]
    if (type !== PUT && type !== DELETED) throw new Malformed('an entry is of an unknown kind')
    const sequence = Number(key.readBigUInt64LE(end) >> 8n)
    yield { key: key.toString('utf8', 0, end), sequence, value: type === PUT ? value : undefined }
  }
}

/** Returns the keys and values of a block; each key shares a prefix with the previous one. */
function* pairsOf(entries: Uint8Array): Generator<[key: Buffer, value: Uint8Array]> {
  if (entries.length < 4) throw new Malformed('a block is cut short')
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength)
  const end = entries.length - 4 - 4 * view.getUint32(entries.length - 4, true)
  if (end < 0) throw new Malformed('a block has too many restart points')
  const cursor: Cursor = { bytes: entries, at: 0 }
  let key = Buffer.alloc(0)
  while (cursor.at < end) {
    const shared = readVarint(cursor)
    const own = readVarint(cursor)
    const length = readVarint(cursor)
    if (shared > key.length || cursor.at + own + length > end) throw new Malformed('an entry is cut short')
    key = Buffer.concat([key.subarray(0, shared), entries.subarray(cursor.at, cursor.at + own)])
    cursor.at += own
    yield [key, entries.subarray(cursor.at, cursor.at + length)]
    cursor.at += length
  }
}
