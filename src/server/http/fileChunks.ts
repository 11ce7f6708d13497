/**
 * Reads files for answers. A whole attachment is hashed while it is read, and its last bytes only follow if the digest matches; a
 * range is not verified, since its digest is unknown.
 */
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, type FileHandle, type FileReadResult } from 'node:fs/promises'
import { isUnreadable } from '../../store/leveldb/filesOnDisk.js'
import { Failure } from '../../store/model/failure.js'
import { createDamageReporter } from '../../sync/session/fileDamage.js'
import type { FileDescription } from '../base/fileResult.js'
import type { Context } from '../call/context.js'

/** Bytes read at a time. An answer has two chunks in memory, and the buffer of its connection. */
const CHUNK = 128 * 1024

export interface Part {
  start: number
  /** Offset after the last byte. */
  end: number
}

/** Opens a file and checks its size. */
export async function openWhole(node: Context, { path, size }: FileDescription): Promise<FileHandle> {
  const handle = await open(path, 'r').catch(async (error: unknown) => {
    node.log.error('an attached file cannot be opened', { path, error: String(error) })
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') await reportDamage(node, path)
    throw new Failure('unexpected-error', 'The file cannot be read.')
  })
  const found = await handle.stat().catch(() => undefined)
  if (found?.isFile() === true && found.size === size) return handle
  await handle.close()
  if (found?.isFile() === true) await reportDamage(node, path, found)
  node.log.error('the size of an attached file has changed', { path, size, found: found?.size })
  throw new Failure('unexpected-error', 'The file cannot be read.')
}

/** Records a damaged file, unless it is composed of others. */
async function reportDamage({ store, log, clock }: Context, path: string, seen?: Stats): Promise<void> {
  const { blobs } = store
  const file = blobs.fileAt(path)
  if (file === undefined) return
  const report = createDamageReporter({ blobs, log, now: () => clock.now() })
  await report(await store.account(file.account), file.digest, seen)
}

/**
 * Reads a part of a file in chunks; the next one is read by a thread while a chunk is hashed and sent. Ends before the last chunk with
 * an error if a whole file does not match its digest, which is recorded as damage. The handle is not closed.
 */
export async function* fileChunks(node: Context, handle: FileHandle, { start, end }: Part, file: FileDescription): AsyncGenerator<Uint8Array> {
  const { digest, size, path } = file
  const hash = digest !== undefined && start === 0 && end === size ? createHash('sha256') : undefined
  const readAt = (at: number): Promise<FileReadResult<Buffer>> => {
    const wanted = Math.min(CHUNK, end - at)
    const reading = handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
    // Reported when the chunk is needed.
    reading.catch(() => {})
    return reading
  }
  let reading = readAt(start)
  try {
    for (let at = start; at < end; ) {
      const { bytesRead, buffer } = await reading
      if (bytesRead === 0) throw new Error(`the file ends at byte ${at} of ${end}`)
      at += bytesRead
      if (at < end) reading = readAt(at)
      const bytes = buffer.subarray(0, bytesRead)
      hash?.update(bytes)
      if (at === end && hash !== undefined && hash.digest('hex') !== digest) {
        await reportDamage(node, path, await handle.stat())
        throw new Error(`the content of the attached file ${digest} does not match its digest`)
      }
      yield bytes
    }
  } catch (error) {
    if (isUnreadable(error)) await reportDamage(node, path, await handle.stat().catch(() => undefined))
    throw error
  } finally {
    // The handle is only closed when nothing reads from it.
    await reading.catch(() => {})
  }
}
