/** Which events refer to which files: what decides whether the bytes of a file stay (see blobs.ts). */
import type { Transaction } from '../engine/account.js'
import type { Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Attachment } from '../model/event.js'

/** SHA-256 of the bytes of files, hexadecimal, by file id: a record does not hold it, since clients get records. */
export type FileDigests = ReadonlyMap<string, string>

type Files = readonly Attachment[] | undefined

const has = (files: Files, id: string): boolean => files?.some((file) => file.id === id) === true

/**
 * Stages the references of an event whose files change; answers by how many bytes. Earlier versions and what is kept of
 * a deleted event tell about files without keeping their bytes.
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
    if (digest === undefined) throw new Error(`The bytes of file ${id} are not known.`)
    difference += size
    t.put(accountKeys.fileDigest(a, event, id), digest)
    t.put(accountKeys.fileReference(a, digest, event, id), String(size))
  }
  return difference
}

/** Whether an event refers to a file. */
export async function isReferenced(db: Database, account: string, digest: string): Promise<boolean> {
  const keys = db.keys(under(`${accountKeys.fileReferencesTo(account, digest)}/`), { limit: 1 })
  try {
    return (await keys.next(1)).length > 0
  } finally {
    await keys.close()
  }
}
