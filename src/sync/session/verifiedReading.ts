/**
 * Reads parts of an attached file for a peer and hashes them. The last part of a file read from its start is sent only if
 * the digest of the whole matches. Parts requested from the middle on, after an interruption, are not verified here; the
 * receiver verifies the file, and restarts from its beginning on a mismatch.
 */
import { createHash, type Hash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { isUnreadable } from '../../store/leveldb/filesOnDisk.js'

/** Maximum number of files hashed at a time; a further one replaces the oldest. */
const MAX_HASHED = 8

/** Bytes of a file, or the reason for their absence: a damaged or missing file. */
export type Reading = { bytes: Uint8Array } | { damaged: Stats } | { missing: true }

export type VerifiedReader = (path: string, digest: string, offset: number, length: number) => Promise<Reading>

export function createVerifiedReader(): VerifiedReader {
  const hashing = new Map<string, { at: number; hash: Hash }>()

  /** Returns the hash of a file up to `offset`; undefined when unknown. */
  function hashAt(digest: string, offset: number): { at: number; hash: Hash } | undefined {
    const begun = offset === 0 ? { at: 0, hash: createHash('sha256') } : hashing.get(digest)
    hashing.delete(digest)
    if (begun?.at !== offset) return undefined
    const [oldest] = hashing.keys()
    if (hashing.size >= MAX_HASHED && oldest !== undefined) hashing.delete(oldest)
    hashing.set(digest, begun)
    return begun
  }

  return async (path, digest, offset, length) => {
    const file = await open(path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    })
    if (file === undefined) return { missing: true }
    try {
      const stats = await file.stat()
      const wanted = Buffer.alloc(Math.max(0, Math.min(length, stats.size - offset)))
      const bytesRead = await file.read(wanted, 0, wanted.length, offset).then((read) => read.bytesRead, unreadable)
      if (bytesRead === undefined) return { damaged: stats }
      const bytes = wanted.subarray(0, bytesRead)
      const known = hashAt(digest, offset)
      if (known === undefined) return { bytes }
      known.hash.update(bytes)
      known.at += bytesRead
      if (known.at < stats.size) return { bytes }
      hashing.delete(digest)
      return known.hash.digest('hex') === digest ? { bytes } : { damaged: stats }
    } finally {
      await file.close()
    }
  }
}

function unreadable(error: unknown): undefined {
  if (isUnreadable(error)) return undefined
  throw error
}
