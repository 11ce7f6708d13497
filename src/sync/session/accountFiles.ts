/**
 * Attached files of an account for a session: files that the peer may read, and missing files to fetch from it.
 *
 * - Reading: the last part of a file read from its start is sent only if the digest of the whole matches. Parts requested
 *   from the middle on, after an interruption, are not verified here. The receiver verifies the file, and restarts from its
 *   beginning on a mismatch.
 * - Receiving complete files of moderate size: files that arrive while a group is written form the next group. Files of a
 *   group are synced in parallel and removed from the list of missing files in one commit.
 */
import { createHash, type Hash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Blobs } from '../../store/blobs/blobs.js'
import { blobsArrived, missingBlobs } from '../../store/blobs/missingBlobs.js'
import type { WholeFile } from '../../store/blobs/writing.js'
import type { Account } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { isUnreadable } from '../../store/leveldb/filesOnDisk.js'
import type { ItemRef } from '../wire/entry.js'
import type { DamageReporter } from './fileDamage.js'
import { MAX_WHOLE } from './fileReceiver.js'
import type { Files, PartialFile } from './replica.js'

/** Maximum number of references examined when the peer receives only some events. */
const MAX_REFERENCES = 1000

interface AccountFilesOptions {
  account: Account
  blobs: Blobs
  /** Checks that the peer may see an event; absent for mirrors. */
  isFor?: ((item: ItemRef) => boolean) | undefined
  /** Called with each file found damaged or missing while it is read. */
  reportDamage: DamageReporter
}

/** Files of an account, for a session with one peer. */
export function accountFiles({ account, blobs, isFor, reportDamage }: AccountFilesOptions): Files {
  const { db, prefix } = account
  const intake = createFileIntake(account, blobs)
  const readVerified = createVerifiedReader()

  async function isOfPeer(digest: string): Promise<boolean> {
    const range = `${accountKeys.fileReferencesTo(prefix, digest)}/`
    for await (const key of each(db.keys(under(range), { limit: MAX_REFERENCES }))) {
      if (isFor?.({ kind: 'event', id: key.slice(range.length).split('/')[0] ?? '' }) === true) return true
    }
    return false
  }

  const isForPeer = (digest: string): Promise<boolean> | boolean => isFor === undefined || isOfPeer(digest)

  /** A file received in one part, held in memory until complete. */
  function whole(digest: string): PartialFile {
    let bytes: Uint8Array = new Uint8Array(0)
    return {
      get offset() {
        return bytes.length
      },
      write(part) {
        bytes = bytes.length === 0 ? part : Buffer.concat([bytes, part])
        return Promise.resolve()
      },
      finish: () => intake.take({ digest, bytes }).finally(() => blobs.unreserve(prefix, digest)),
      suspend: () => Promise.resolve(blobs.unreserve(prefix, digest)),
    }
  }

  async function large(digest: string, size: number): Promise<PartialFile | undefined> {
    const file = await blobs.partial(prefix, digest)
    if (!file.claim()) return undefined
    return {
      get offset() {
        return Math.min(file.size, size)
      },
      write: (bytes) => file.append(file.size, bytes),
      async finish() {
        try {
          const isWhole = await file.finish(size)
          if (isWhole) await blobsArrived(account, blobs, [digest])
          return isWhole
        } finally {
          blobs.unreserve(prefix, digest)
        }
      },
      suspend: () => file.unclaim().finally(() => blobs.unreserve(prefix, digest)),
    }
  }

  return {
    wanted: account.wanted,
    follow: (listener) => account.wanted.follow(listener),
    wantedFrom: (after, max) => missingBlobs(account, blobs, after, max),
    isWanted: (digest) => db.get(accountKeys.wantedFile(prefix, digest)) !== undefined,
    isForPeer,
    async read(digest, offset, length) {
      if (!(await isForPeer(digest))) return undefined
      const read = await readVerified(blobs.pathOf(prefix, digest), digest, offset, length)
      if ('bytes' in read) return read.bytes
      await reportDamage(account, digest, 'damaged' in read ? read.damaged : undefined)
      return undefined
    },
    async begin(digest, size) {
      if (!blobs.reserve(prefix, digest)) return undefined
      if (size <= MAX_WHOLE) return whole(digest)
      const file = await large(digest, size).catch((error: unknown) => {
        blobs.unreserve(prefix, digest)
        throw error
      })
      if (file === undefined) blobs.unreserve(prefix, digest)
      return file
    },
  }
}

/** Maximum files of one group. */
const MAX_TOGETHER = 64

interface FileIntake {
  /** Moves a file to its final path; on disk when this resolves. False when its bytes do not match its digest. */
  take(file: WholeFile): Promise<boolean>
}

interface Waiting {
  file: WholeFile
  resolve(isWhole: boolean): void
  reject(error: unknown): void
}

function createFileIntake(account: Account, blobs: Blobs): FileIntake {
  const waiting: Waiting[] = []
  let isWriting = false

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const files = group.map(({ file }) => file)
      const areWhole = await blobs.placeAll(account.prefix, files)
      await blobsArrived(account, blobs, files.filter((_, i) => areWhole[i]).map(({ digest }) => digest))
      for (const [i, { resolve }] of group.entries()) resolve(areWhole[i] === true)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async function write(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) await writeGroup(waiting.splice(0, MAX_TOGETHER))
    isWriting = false
  }

  return {
    take: (file) =>
      new Promise((resolve, reject) => {
        waiting.push({ file, resolve, reject })
        if (!isWriting) void write()
      }),
  }
}

/** Maximum number of files hashed at a time; a further one replaces the oldest. */
const MAX_HASHED = 8

/** Bytes of a file, or the reason for their absence: a damaged or missing file. */
type Reading = { bytes: Uint8Array } | { damaged: Stats } | { missing: true }

type VerifiedReader = (path: string, digest: string, offset: number, length: number) => Promise<Reading>

function createVerifiedReader(): VerifiedReader {
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
