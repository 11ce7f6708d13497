/** Files whose events came from another node before their bytes, or whose bytes were lost: what is to be fetched. */
import type { Account, Transaction } from './account.js'
import type { WantedFile } from './attachedFiles/wantedCount.js'
import type { Blobs } from './blobs.js'
import { isReferenced } from './fileReferences.js'
import { accountKeys, under } from './keys.js'

type Reader = { get(key: string): string | undefined }

/** Notes that an event of this transaction refers to a file: it is wanted, unless its bytes are here. */
export function noteMissingFile(t: Transaction, blobs: Blobs, digest: string, size: number): void {
  const { account } = t
  if (!blobs.hasNow(account, digest)) return wantFile(t, digest, size)
  // Nothing may refer to them yet on disk: they must not be removed before this does.
  t.onStaged(() => blobs.hold(account, digest))
  t.onSettled(() => void blobs.release(account, digest).catch(() => {}))
}

/** Stages that a file is waited for. */
export function wantFile(t: Transaction, digest: string, size: number): void {
  const key = accountKeys.wantedFile(t.account, digest)
  if (t.get(key) !== undefined) return
  t.put(key, String(size))
  count(t, { digest, size }, true)
}

/** Stages that a file is not waited for any more. */
function forgetFile(t: Transaction, digest: string): void {
  const key = accountKeys.wantedFile(t.account, digest)
  const size = t.get(key)
  if (size === undefined) return
  t.delete(key)
  count(t, { digest, size: Number(size) }, false)
}

function count(t: Transaction, file: WantedFile, isWanted: boolean): void {
  const change = { ...file, isWanted }
  t.onStaged(() => t.wanted.stage(change))
  t.onSettled(() => t.wanted.committed(change))
}

/** Whether the bytes of a file are still to come from another node. */
export const isFileMissing = (reader: Reader, blobs: Blobs, account: string, digest: string): boolean =>
  reader.get(accountKeys.wantedFile(account, digest)) !== undefined && !blobs.hasNow(account, digest)

/** Files that are waited for, in the order of their digests, and from where on there are more. */
export interface WantedPage {
  files: WantedFile[]
  next?: string
}

/**
 * Reads the files that an account waits for behind the digest `after`, looking at `most` of them. Those whose bytes are
 * here, and those that no event refers to any more, are forgotten.
 */
export async function wantedFiles(account: Account, blobs: Blobs, after: string, most: number): Promise<WantedPage> {
  const { db, prefix } = account
  const all = accountKeys.wantedFiles(prefix)
  const source = db.entries({ gt: all + after, lt: under(all).lt }, { limit: most })
  const entries = await source.next(most).finally(() => source.close())
  const files: WantedFile[] = []
  const here: string[] = []
  const unreferenced: string[] = []
  for (const [key, size] of entries) {
    const digest = key.slice(all.length)
    if (blobs.hasNow(prefix, digest)) here.push(digest)
    else if (await isReferenced(db, prefix, digest)) files.push({ digest, size: Number(size) })
    else unreferenced.push(digest)
  }
  await filesCame(account, blobs, here)
  await forgetUnreferenced(account, unreferenced)
  const last = entries.at(-1)?.[0].slice(all.length)
  return { files, ...(entries.length < most || last === undefined ? {} : { next: last }) }
}

/**
 * Forgets files whose bytes have come. A crash may bring the keys back: the bytes lie in their places then, and are found
 * there.
 */
export async function filesCame(account: Account, blobs: Blobs, digests: readonly string[]): Promise<void> {
  if (digests.length === 0) return
  await account.write((t) => {
    // Bytes that go again meanwhile are waited for by whatever refers to them anew.
    for (const digest of digests) if (blobs.hasNow(account.prefix, digest)) forgetFile(t, digest)
  })
}

/** Forgets files that no event refers to; looks while nobody writes, since an event may refer to one anew. */
export async function forgetUnreferenced(account: Account, digests: readonly string[]): Promise<void> {
  const { db, prefix } = account
  const wanted = digests.filter((digest) => db.get(accountKeys.wantedFile(prefix, digest)) !== undefined)
  if (wanted.length === 0) return
  await account.exclusively(async (write) => {
    const over: string[] = []
    for (const digest of wanted) if (!(await isReferenced(db, prefix, digest))) over.push(digest)
    await write((t) => {
      for (const digest of over) forgetFile(t, digest)
    })
  })
}
