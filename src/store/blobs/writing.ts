/**
 * Writes the bytes of attached files: one upload of any size, hashed while it is written (`writeHashed`), or a group of
 * files from memory (`placeTogether`), which waits for each disk sync once.
 */
import { createHash, hash } from 'node:crypto'
import { open, rm, unlink, type FileHandle } from 'node:fs/promises'
import { diskFailure, makeFolder, syncFolder } from '../leveldb/filesOnDisk.js'
import { Failure } from '../model/failure.js'
import type { IntegrityAlgorithm } from '../model/integrity.js'

const MB = 1024 * 1024

/** A received file that is not yet at its final path. */
export interface Received {
  /** Current path. */
  path: string
  size: number
  /** SHA-256, hexadecimal. */
  digest: string
  /** Digest by the requested algorithm, Base64. */
  integrity: string
}

/** Writes a file with these bytes; its content is on disk when this resolves. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await writeAll(file, [bytes])
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Bytes that are written together: each write waits for a thread, longer than it takes to write a chunk of a connection. */
const BATCH_BYTES = 256 * 1024

interface Writer {
  /** Adds bytes to the end of the file; resolves when the next may be added. At most two batches are in memory. */
  add(chunk: Uint8Array): Promise<void> | undefined
  /** Writes what is left; resolves when no write is in progress. Rejects if a write failed. */
  end(): Promise<void>
}

/** Creates a writer that collects chunks while earlier ones are written. */
function createWriter(file: FileHandle): Writer {
  let batch: Uint8Array[] = []
  let bytes = 0
  let writing = Promise.resolve()

  async function flush(): Promise<void> {
    await writing
    const chunks = batch
    batch = []
    bytes = 0
    writing = writeAll(file, chunks)
    // The next flush reports a failure.
    writing.catch(() => {})
  }
  return {
    add(chunk) {
      batch.push(chunk)
      bytes += chunk.length
      return bytes >= BATCH_BYTES ? flush() : undefined
    },
    async end() {
      if (bytes > 0) await flush()
      await writing
    },
  }
}

/** Writes chunks to the end of a file. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let left = chunks; left.length > 0; ) left = without(left, (await file.writev(left)).bytesWritten)
}

/** Returns chunks without their first bytes. */
function without(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let toSkip = bytes
  let at = 0
  for (; at < chunks.length && toSkip >= (chunks[at]?.length ?? 0); at++) toSkip -= chunks[at]?.length ?? 0
  return toSkip === 0 ? chunks.slice(at) : chunks.slice(at).map((chunk, n) => (n === 0 ? chunk.subarray(toSkip) : chunk))
}

/** Writes and syncs a file of any size; computes its digests while writing. */
export async function writeHashed(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  limitMb: number,
  algorithm: IntegrityAlgorithm,
): Promise<Received> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw diskFailure(error)
  })
  const writer = createWriter(file)
  try {
    const sha256 = createHash('sha256')
    const other = algorithm === 'sha256' ? undefined : createHash(algorithm)
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > limitMb * MB) {
        throw new Failure('payload-too-large', `A file is larger than ${limitMb} MB.`, { limitMb })
      }
      const writing = writer.add(chunk)
      sha256.update(chunk)
      other?.update(chunk)
      await writing
    }
    await writer.end()
    await file.sync()
    const digest = sha256.digest()
    return { path, size, digest: digest.toString('hex'), integrity: (other?.digest() ?? digest).toString('base64') }
  } catch (error) {
    await writer.end().catch(() => {})
    await unlink(path).catch(() => {})
    throw diskFailure(error)
  } finally {
    // The synced content stays on disk even if closing fails.
    await file.close().catch(() => {})
  }
}

/** The bytes of a file, in memory. */
export interface WholeFile {
  digest: string
  bytes: Uint8Array
}

interface PlaceOptions {
  /** Folder for drafts. */
  incoming: string
  /** Returns an unused path in that folder. */
  draftPath(): string
  /** Moves a synced file to its final path and reserves it there. */
  move(file: { path: string; digest: string }): Promise<void>
  /** Returns the folder of a file's final path. */
  folderOf(digest: string): string
  /** Releases the reservation of a file at its final path. */
  release(digest: string): Promise<void>
}

/**
 * Verifies, writes and moves files; all are on disk when this resolves. Returns for each whether its bytes match its
 * digest. Leaves no drafts when it rejects.
 * @throws Failure `storage-full`
 */
export async function placeTogether(files: readonly WholeFile[], options: PlaceOptions): Promise<boolean[]> {
  const { incoming, draftPath, move, folderOf, release } = options
  const drafts: string[] = []
  const moved: string[] = []
  try {
    await makeFolder(incoming)
    const paths = await runConcurrently(files, async ({ digest, bytes }) => {
      if (hash('sha256', bytes) !== digest) return undefined
      const path = draftPath()
      drafts.push(path)
      await writeWhole(path, bytes)
      return path
    })
    const whole = files.flatMap(({ digest }, i) => (paths[i] === undefined ? [] : [{ digest, path: paths[i] }]))
    await runConcurrently(whole, async (file) => {
      await move(file)
      moved.push(file.digest)
    })
    await runConcurrently([...new Set(moved.map(folderOf))], syncFolder)
    return paths.map((path) => path !== undefined)
  } catch (error) {
    await Promise.all(drafts.map((path) => rm(path, { force: true }).catch(() => {})))
    throw diskFailure(error)
  } finally {
    // The events may have been deleted meanwhile.
    await runConcurrently(moved, release)
  }
}

const LANES = 8

/** Runs `work` on each item, at most eight at a time; rejects with the first failure once running work has ended. */
async function runConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let failed: { error: unknown } | undefined
  async function slot(): Promise<void> {
    while (next < items.length && failed === undefined) {
      const at = next
      next += 1
      try {
        results[at] = await work(items[at] as T)
      } catch (error) {
        failed ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, slot))
  if (failed !== undefined) throw failed.error
  return results
}
