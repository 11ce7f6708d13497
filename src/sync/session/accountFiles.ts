/** The bytes of an account's files as a session sees them: what the peer may read, and what is to come from it. */
import { open } from 'node:fs/promises'
import type { Account } from '../../store/account.js'
import type { Blobs } from '../../store/blobs.js'
import { accountKeys, under } from '../../store/keys.js'
import { fileCame, wantedFiles } from '../../store/wantedFiles.js'
import type { ItemRef } from '../entry.js'
import type { Files, PartialFile } from './holdings.js'

/** References that are looked at when only some events are for the peer. */
const MOST_REFERENCES = 1000

/** The files of an account. `isFor` tells whether an event is one that the peer may see; absent for mirrors. */
export function accountFiles(account: Account, blobs: Blobs, isFor?: (item: ItemRef) => boolean): Files {
  const { db, prefix } = account

  async function mayRead(digest: string): Promise<boolean> {
    if (isFor === undefined) return true
    const range = `${accountKeys.fileReferencesTo(prefix, digest)}/`
    const source = db.keys(under(range), { limit: MOST_REFERENCES })
    try {
      const keys = await source.next(MOST_REFERENCES)
      return keys.some((key) => isFor({ kind: 'event', id: key.slice(range.length).split('/')[0] ?? '' }))
    } finally {
      await source.close()
    }
  }

  return {
    wanted: (limit) => wantedFiles(account, blobs, limit),
    isWanted: (digest) => db.get(accountKeys.wantedFile(prefix, digest)) !== undefined,
    async read(digest, offset, length) {
      if (!(await mayRead(digest))) return undefined
      const file = await open(blobs.pathOf(prefix, digest)).catch(() => undefined)
      if (file === undefined) return undefined
      try {
        const { size } = await file.stat()
        const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
        const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
        return bytes.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async begin(digest, size): Promise<PartialFile | undefined> {
      const file = await blobs.partial(prefix, digest)
      if (!file.claim()) return undefined
      return {
        get offset() {
          return Math.min(file.size, size)
        },
        write: (bytes) => file.append(file.size, bytes),
        async finish() {
          const isWhole = await file.finish(size)
          if (isWhole) await fileCame(account, blobs, digest)
          return isWhole
        },
        leave: () => file.leave(),
      }
    },
  }
}
