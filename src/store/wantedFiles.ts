/** Files whose events came from another node before their bytes: what is to be fetched. */
import type { Account, Transaction } from './account.js'
import type { Blobs } from './blobs.js'
import { each } from './database.js'
import { isReferenced } from './fileReferences.js'
import { accountKeys, under } from './keys.js'

/** A file to fetch. */
export interface WantedFile {
  /** SHA-256, hexadecimal. */
  digest: string
  /** Bytes. */
  size: number
}

type Reader = { get(key: string): string | undefined }

/** Notes that an event of this transaction refers to a file: it is wanted, unless its bytes are here. */
export function noteMissingFile(t: Transaction, blobs: Blobs, digest: string, size: number): void {
  const { account } = t
  if (!blobs.hasNow(account, digest)) return t.put(accountKeys.wantedFile(account, digest), String(size))
  // Nothing may refer to them yet on disk: they must not be removed before this does.
  t.onStaged(() => blobs.hold(account, digest))
  t.onSettled(() => void blobs.release(account, digest).catch(() => {}))
}

/** Whether the bytes of a file are still to come from another node. */
export const isFileMissing = (reader: Reader, blobs: Blobs, account: string, digest: string): boolean =>
  reader.get(accountKeys.wantedFile(account, digest)) !== undefined && !blobs.hasNow(account, digest)

/**
 * The files that an account waits for, at most `most`. Those whose bytes are here, and those that no event refers to any
 * more, are forgotten.
 */
export async function wantedFiles(account: Account, blobs: Blobs, most = Infinity): Promise<WantedFile[]> {
  const { db, prefix } = account
  const all = accountKeys.wantedFiles(prefix)
  const wanted: WantedFile[] = []
  const over: string[] = []
  for await (const [key, size] of each(db.entries(under(all)))) {
    const digest = key.slice(all.length)
    if (blobs.hasNow(prefix, digest) || !(await isReferenced(db, prefix, digest))) over.push(digest)
    else if (wanted.push({ digest, size: Number(size) }) >= most) break
  }
  if (over.length > 0) await forget(account, blobs, over)
  return wanted
}

/** Forgets a file whose bytes have come. */
export const fileCame = (account: Account, blobs: Blobs, digest: string): Promise<void> => forget(account, blobs, [digest])

/** Looks again while nobody writes: an event may refer to a file anew. */
function forget(account: Account, blobs: Blobs, digests: readonly string[]): Promise<void> {
  const { db, prefix } = account
  return account.exclusively(async (write) => {
    const over: string[] = []
    for (const digest of digests) {
      if (blobs.hasNow(prefix, digest) || !(await isReferenced(db, prefix, digest))) over.push(digest)
    }
    await write((t) => {
      for (const digest of over) t.delete(accountKeys.wantedFile(prefix, digest))
    })
  })
}
