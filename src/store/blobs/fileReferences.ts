/** References of events to files; they determine whether the bytes of a file stay (see blobs.ts). */
import type { Transaction } from '../engine/account.js'
import type { Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Attachment } from '../model/event.js'

/** SHA-256 of files, hexadecimal, by file id. Not part of event records, since clients receive those. */
export type FileDigests = ReadonlyMap<string, string>

type Files = readonly Attachment[] | undefined

const has = (files: Files, id: string): boolean => files?.some((file) => file.id === id) === true

/**
 * Stages the references of an event whose files change; returns the difference in bytes. Earlier versions and remains
 * of a deleted event mention files without keeping their bytes.
 * @throws Error when the digest of a new file is missing
 */
export function moveReferences(
  t: Transaction,
  event: string,
  before: Files,
  after: Files,
  digests?: FileDigests,
): number {
  if (before === after) return 0
  const a = t.account
  let difference = 0
  for (const { id, size } of before ?? []) {
    if (has(after, id)) continue
    const digest = t.get(accountKeys.fileDigest(a, event, id))
    difference -= size
    if (digest === undefined) continue
    t.delete(accountKeys.fileDigest(a, event, id))
    t.delete(accountKeys.fileReference(a, digest, event, id))
    t.freed(digest)
  }
  for (const { id, size } of after ?? []) {
    if (has(before, id)) continue
    const digest = digests?.get(id)
    if (digest === undefined) throw new Error(`The digest of file ${id} is missing.`)
    difference += size
    t.put(accountKeys.fileDigest(a, event, id), digest)
    t.put(accountKeys.fileReference(a, digest, event, id), String(size))
  }
  return difference
}

/** Checks whether an event refers to a file. */
export async function isReferenced(db: Database, account: string, digest: string): Promise<boolean> {
  const keys = db.keys(under(`${accountKeys.fileReferencesTo(account, digest)}/`), { limit: 1 })
  try {
    return (await keys.next(1)).length > 0
  } finally {
    await keys.close()
  }
}
