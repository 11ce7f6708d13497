/** The storage counters of an account: bytes of its records and of its attached files (data supplement 5.1). */
import type { Account } from '../store/account.js'
import { findEvent } from '../store/events.js'
import { accountKeys, under } from '../store/keys.js'
import { ATTACHED_FILES } from '../store/model/systemStreams.js'

/** Bytes that an account takes. */
export interface StorageUsed {
  /** On disk, in the database, about. */
  dbDocuments: number
  /** Of its attached files, exactly. */
  attachedFiles: number
}

type Reader = { get(key: string): string | undefined }

/** The bytes of an account's attached files, exact at every moment. */
export function attachedFilesOf(reader: Reader, account: string): number {
  const content = findEvent(reader, account, ATTACHED_FILES)?.content
  return typeof content === 'number' ? content : 0
}

/** What an account takes now. */
export async function storageUsedOf({ db, prefix }: Account): Promise<StorageUsed> {
  return { dbDocuments: await db.size(under(accountKeys.all(prefix))), attachedFiles: attachedFilesOf(db, prefix) }
}
