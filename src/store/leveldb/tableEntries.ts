/**
 * The entries that can be read of a table, sound or damaged: those of every block whose checksum holds. Where the index
 * is damaged, blocks are found one after another by their checksums alone, and any key may be missing.
 */
import type { Written } from './batchEntries.js'
import { crc32c, crcByByte, unmaskCrc } from './crc.js'
import { checks, content, footer, readBlock, TRAILER, type Block } from './tableFile.js'
import { Malformed, readVarint, type Cursor } from './varint.js'

/** A key in a table ends with its sequence (7 bytes) and what was done (1). */
const INTERNAL = 8
const DELETED = 0
const PUT = 1
/** Blocks are of some 4 KiB, and of a single entry when that is larger. */
const MAX_BLOCK_LENGTH = 4 * 1024 * 1024
/** How far behind damage the next block is looked for, each byte being a possible beginning. */
const MAX_GAP_LENGTH = 64 * 1024
const USUAL_BLOCK = 16 * 1024

/** Keys from one to another, both among them. */
export interface KeyRange {
  from: string
  to: string
}

/** What can be read of a table. */
export interface ReadTable {
  /** The entries of every block that is sound, in the order of the blocks. */
  entries(): Generator<Written>
  /** Where keys may be missing; empty for a sound table. */
  lost: KeyRange[]
}

/** Every key that there can be. */
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

function* entriesOf(bytes: Buffer, blocks: readonly Block[]): Generator<Written> {
  for (const block of blocks) {
    try {
      yield* entriesOfBlock(content(bytes, block))
    } catch (error) {
      // Its checksum holds, so it was written so: it is no block of entries, such as the filter.
      if (!(error instanceof Malformed)) throw error
    }
  }
}

/** The blocks that a sound index lists, each with a key that none of its keys comes behind. */
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

/** Blocks that are found without an index; one that lists the others is left out. */
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

/** Bytes of the block that begins at a place, as its checksum tells; undefined when none does. */
function sizeAt(bytes: Buffer, at: number, max: number): number | undefined {
  const end = Math.min(bytes.length - 4, at + max)
  const next = crcByByte()
  for (let i = at; i < end; i++) {
    const crc = next(bytes[i] ?? 0)
    // A block holds its restart points at least, and is followed by how it is packed.
    if (i - at >= 8 && (bytes[i] ?? 2) < 2 && crc === unmaskCrc(bytes.readUInt32LE(i + 1))) return i - at
  }
  return undefined
}

/** Whether the checksum of a block holds, in a file that may have lost its end. */
function holds(bytes: Buffer, { offset, size }: Block): boolean {
  const end = offset + size + 1
  return end + 4 <= bytes.length && crc32c(bytes.subarray(offset, end)) === unmaskCrc(bytes.readUInt32LE(end))
}

/** Whether a block is an index: its values are the places of other blocks. */
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

function* entriesOfBlock(entries: Uint8Array): Generator<Written> {
  for (const [key, value] of pairsOf(entries)) {
    if (key.length < INTERNAL) throw new Malformed('a key has no sequence')
    const end = key.length - INTERNAL
    const type = key[end]
    if (type !== PUT && type !== DELETED) throw new Malformed('an entry is of an unknown kind')
    const sequence = Number(key.readBigUInt64LE(end) >> 8n)
    yield { key: key.toString('utf8', 0, end), sequence, value: type === PUT ? value : undefined }
  }
}

/** Keys and values of a block: each key shares its beginning with the one before it. */
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
