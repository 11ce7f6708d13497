/** Missing files, to be fetched: their events arrived from another node before the bytes, or the bytes were lost. */
import type { Account, Transaction } from '../engine/account.js'
import type { WantedFile } from '../engine/wantedCount.js'
import type { Blobs } from './blobs.js'
import { isReferenced } from './fileReferences.js'
import { accountKeys, under } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'

/** Records that an event of this transaction refers to a file: the file is missing, unless its bytes are here. */
export function recordMissingBlob(t: Transaction, blobs: Blobs, digest: string, size: number): void {
  const { account } = t
  if (!blobs.isPresent(account, digest)) return requestBlob(t, digest, size)
  // Holds the bytes until the reference is on disk.
  t.onStaged(() => blobs.hold(account, digest))
  t.onSettled(() => void blobs.release(account, digest).catch(() => {}))
}

/** Stages that a file is missing. */
export function requestBlob(t: Transaction, digest: string, size: number): void {
  const key = accountKeys.wantedFile(t.account, digest)
  if (t.get(key) !== undefined) return
  t.put(key, String(size))
  count(t, { digest, size }, true)
}

/** Stages that a file is no longer missing. */
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

/** Checks whether the bytes of a file are still to be fetched from another node. */
export const isBlobMissing = (reader: RecordReader, blobs: Blobs, account: string, digest: string): boolean =>
  reader.get(accountKeys.wantedFile(account, digest)) !== undefined && !blobs.isPresent(account, digest)

/** Missing files in digest order, and the start of the next page. */
interface MissingBlobPage {
  files: WantedFile[]
  next?: string
}

/**
 * Reads the account's missing files after the digest `after`, examining at most `max`. Removes those whose bytes are
 * here, and those without references.
 */
export async function missingBlobs(account: Account, blobs: Blobs, after: string, max: number): Promise<MissingBlobPage> {
  const { db, prefix } = account
  const all = accountKeys.wantedFiles(prefix)
  const source = db.entries({ gt: all + after, lt: under(all).lt }, { limit: max })
  const entries = await source.next(max).finally(() => source.close())
  const files: WantedFile[] = []
  const here: string[] = []
  const unreferenced: string[] = []
  for (const [key, size] of entries) {
    const digest = key.slice(all.length)
    if (blobs.isPresent(prefix, digest)) here.push(digest)
    else if (await isReferenced(db, prefix, digest)) files.push({ digest, size: Number(size) })
    else unreferenced.push(digest)
  }
  await blobsArrived(account, blobs, here)
  await forgetUnreferencedBlobs(account, unreferenced)
  const last = entries.at(-1)?.[0].slice(all.length)
  return { files, ...(entries.length < max || last === undefined ? {} : { next: last }) }
}

/**
 * Removes files whose bytes have arrived. A crash may restore their keys; the next read finds the bytes and removes them.
 */
export async function blobsArrived(account: Account, blobs: Blobs, digests: readonly string[]): Promise<void> {
  if (digests.length === 0) return
  await account.write((t) => {
    // If the bytes are lost meanwhile, the next item that refers to them records them again.
    for (const digest of digests) if (blobs.isPresent(account.prefix, digest)) forgetFile(t, digest)
  })
}

/** Removes files that no event refers to; checks without concurrent writes, since an event may refer to one again. */
export async function forgetUnreferencedBlobs(account: Account, digests: readonly string[]): Promise<void> {
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
