/**
 * LevelDB's tables: data blocks, filter, metaindex, index, each followed by its compression type and its masked
 * checksum, and a footer with the places of metaindex and index. LevelDB does not verify these checksums on reads.
 */
import { crc32c, unmaskCrc } from './crc.js'
import type { Damage } from './damage.js'
import { unsnap } from './snappy.js'
import { type Cursor, Malformed, readVarint } from './varint.js'

const FOOTER = 48
export const TRAILER = 5
const MAGIC = 0xdb4775248b80fb57n
const PLAIN = 0
const SNAPPY = 1

/** Place of a block in its file. */
export interface Block {
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
export function checks(bytes: Buffer, { offset, size }: Block): boolean {
  const end = offset + size + 1
  if (end + 4 > bytes.length - FOOTER) return false
  return crc32c(bytes.subarray(offset, end)) === unmaskCrc(bytes.readUInt32LE(end))
}

/**
 * Returns the places of metaindex and index.
 * @throws Malformed unless they end exactly where the footer begins
 */
export function footer(bytes: Buffer): { metaindex: Block; index: Block } {
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
export function readBlock(cursor: Cursor): Block {
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
export function content(bytes: Buffer, { offset, size }: Block): Uint8Array {
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
