/** Writes the bytes of attached files. */
import { createHash } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { diskFailure } from '../leveldb/filesOnDisk.js'
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
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
    await file.datasync()
  } finally {
    await file.close()
  }
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
  try {
    const sha256 = createHash('sha256')
    const other = algorithm === 'sha256' ? undefined : createHash(algorithm)
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > limitMb * MB) {
        throw new Failure('payload-too-large', `A file is larger than ${limitMb} MB.`, { limitMb })
      }
      sha256.update(chunk)
      other?.update(chunk)
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
    }
    await file.sync()
    const digest = sha256.digest()
    return { path, size, digest: digest.toString('hex'), integrity: (other?.digest() ?? digest).toString('base64') }
  } catch (error) {
    await unlink(path).catch(() => {})
    throw diskFailure(error)
  } finally {
    // The synced content stays on disk even if closing fails.
    await file.close().catch(() => {})
  }
}
