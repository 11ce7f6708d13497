/** Attached files of an account for a session: files that the peer may read, and missing files to fetch from it. */
import type { Account } from '../../store/engine/account.js'
import type { Blobs } from '../../store/blobs/blobs.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { blobsArrived, missingBlobs } from '../../store/blobs/missingBlobs.js'
import type { ItemRef } from '../items/entry.js'
import type { DamageReporter } from './fileDamage.js'
import { createFileIntake } from './fileIntake.js'
import { MAX_WHOLE } from './fileReceiver.js'
import type { Files, PartialFile } from './replica.js'
import { createVerifiedReader } from './verifiedReading.js'

/** Maximum number of references examined when the peer receives only some events. */
const MAX_REFERENCES = 1000

export interface AccountFilesOptions {
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
      leave: () => Promise.resolve(blobs.unreserve(prefix, digest)),
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
      leave: () => file.leave().finally(() => blobs.unreserve(prefix, digest)),
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
