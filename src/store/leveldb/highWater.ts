/**
 * The high-water mark: the latest commit of the chain, stored in the file HEAD beside the LevelDB folder. LevelDB
 * silently opens a log that lost its end; a chain that ends before its mark reveals the loss.
 *
 * The mark is written only after the database has synced the commit it names. So the mark may lag behind the durable
 * log, but is never ahead of it, and a chain shorter than the mark is always a loss.
 *
 * A file has two slots of 64 bytes, written in turn, so that a slot torn by a power cut leaves the other. A slot: magic
 * (8 bytes), format (u32), 1 if it names a commit (u32), sequence (u64), hash (32), zeros (4), CRC-32C of all that
 * (u32); numbers are little-endian.
 */
import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import { crc32c } from './encodings.js'
import { FilesDamaged } from './damage.js'

const SLOT = 64
const CHECKED = 60
const MAGIC = Buffer.from('COFFERHW', 'latin1')
const FORMAT = 1
const HASH = 32

const datasync = promisify(fdatasync)

/** A commit of the chain: its sequence, a whole number from 0, and its hash of 32 bytes. */
export interface Mark {
  sequence: number
  hash: Uint8Array
}

/** An open high-water mark. */
export interface HighWater {
  /** Returns the newest mark; undefined before the first commit. */
  read(): Mark | undefined
  /**
   * Sets the mark with one small write and no sync. Call it only after the commit is on disk.
   * @throws RangeError when the mark would go back or change its hash. After this or a file-system error, the mark is
   * unchanged.
   */
  write(sequence: number, hash: Uint8Array): void
  /** Resolves when the mark is on disk. */
  sync(): Promise<void>
  /** Syncs the mark and closes the file. */
  close(): Promise<void>
}

/**
 * Creates the file for a chain without commits, or for one that is at `mark`; replaces an existing one. The file is on
 * disk when the promise resolves.
 */
export async function createHighWater(path: string, mark?: Mark): Promise<void> {
  const draft = `${path}.tmp`
  const file = await open(draft, 'w', 0o600)
  try {
    const slot = encode(mark)
    await file.writeFile(Buffer.concat([slot, slot]))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Opens the file.
 * @throws FilesDamaged when it is missing, has a wrong size or no valid slot
 */
export function openHighWater(path: string): HighWater {
  const damaged = (what: string): FilesDamaged => new FilesDamaged([{ file: basename(path), what }])
  const fd = openFile(path, damaged)
  try {
    return handle(fd, readSlots(fd, damaged))
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function openFile(path: string, damaged: (what: string) => FilesDamaged): number {
  try {
    return openSync(path, 'r+')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw damaged('is missing')
    throw error
  }
}

interface Newest {
  slot: 0 | 1
  mark: Mark | undefined
}

function readSlots(fd: number, damaged: (what: string) => FilesDamaged): Newest {
  const bytes = Buffer.alloc(2 * SLOT)
  const { size } = fstatSync(fd)
  if (size !== bytes.length) throw damaged(`has ${size} bytes in place of ${bytes.length}`)
  if (readSync(fd, bytes, 0, bytes.length, 0) !== bytes.length) throw damaged('cannot be read to its end')
  const first = decode(bytes.subarray(0, SLOT))
  const second = decode(bytes.subarray(SLOT))
  if (first === 'unknown format' || second === 'unknown format') throw damaged('has an unknown format')
  if (first === 'invalid' && second === 'invalid') throw damaged('has no valid mark')
  const newer = order(first) >= order(second) ? 0 : 1
  const slot = newer === 0 ? first : second
  return { slot: newer, mark: typeof slot === 'string' ? undefined : slot }
}

type Slot = Mark | 'none' | 'invalid' | 'unknown format'

function order(slot: Slot): number {
  if (typeof slot !== 'string') return slot.sequence
  return slot === 'none' ? -1 : -2
}

function handle(fd: number, newest: Newest): HighWater {
  let { slot, mark } = newest
  let closed = false
  let pending: Promise<void> | undefined
  return {
    read: () => (mark === undefined ? undefined : { sequence: mark.sequence, hash: mark.hash.slice() }),
    write(sequence, hash) {
      if (closed) throw new Error('The high-water mark is closed.')
      if (mark !== undefined && sequence <= mark.sequence) {
        if (sequence === mark.sequence && Buffer.compare(hash, mark.hash) === 0) return
        throw new RangeError(`The mark is at ${mark.sequence}; it does not go back to ${sequence}.`)
      }
      const next = { sequence, hash: hash.slice() }
      const other = slot === 0 ? 1 : 0
      if (writeSync(fd, encode(next), 0, SLOT, other * SLOT) !== SLOT) throw new Error('The mark was written in part.')
      slot = other
      mark = next
    },
    sync() {
      if (closed) return Promise.reject(new Error('The high-water mark is closed.'))
      pending = datasync(fd)
      return pending
    },
    async close() {
      if (closed) return
      closed = true
      try {
        // A sync in progress uses the descriptor; its failure belongs to its caller.
        await Promise.allSettled([pending])
        await datasync(fd)
      } finally {
        closeSync(fd)
      }
    },
  }
}

function encode(mark: Mark | undefined): Buffer {
  const slot = Buffer.alloc(SLOT)
  slot.set(MAGIC, 0)
  slot.writeUInt32LE(FORMAT, 8)
  if (mark !== undefined) {
    if (mark.hash.length !== HASH) throw new RangeError(`A commit hash has ${HASH} bytes, not ${mark.hash.length}.`)
    if (!Number.isSafeInteger(mark.sequence)) throw new RangeError(`${mark.sequence} is not a sequence.`)
    slot.writeUInt32LE(1, 12)
    slot.writeBigUInt64LE(BigInt(mark.sequence), 16)
    slot.set(mark.hash, 24)
  }
  slot.writeUInt32LE(crc32c(slot.subarray(0, CHECKED)), CHECKED)
  return slot
}

function decode(slot: Buffer): Slot {
  if (crc32c(slot.subarray(0, CHECKED)) !== slot.readUInt32LE(CHECKED)) return 'invalid'
  if (!slot.subarray(0, 8).equals(MAGIC)) return 'invalid'
  if (slot.readUInt32LE(8) !== FORMAT) return 'unknown format'
  if (slot.readUInt32LE(12) === 0) return 'none'
  return { sequence: Number(slot.readBigUInt64LE(16)), hash: Uint8Array.from(slot.subarray(24, 24 + HASH)) }
}
