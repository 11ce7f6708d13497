/** The storage counters of an account: bytes of its records and of its attached files (data supplement 5.1). */
import type { Account } from '../store/engine/account.js'
import { findEvent } from '../store/events/events.js'
import { accountKeys, under } from '../store/engine/keys.js'
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

/** Bytes of an account's records in LevelDB's tables. What was written last may lie in memory, which this does not tell. */
export const recordsOnDisk = ({ db, prefix }: Account): Promise<number> => db.size(under(accountKeys.all(prefix)))

/** What LevelDB may hold in memory before it writes a table. */
const MAX_IN_MEMORY = 4 * 1024 * 1024
const PAGE = 1000

/** What an account takes now. */
export async function storageUsedOf(account: Account): Promise<StorageUsed> {
  const { db, prefix } = account
  const onDisk = await recordsOnDisk(account)
  // Beside much, what lies in memory is little.
  const dbDocuments = onDisk >= MAX_IN_MEMORY ? onDisk : Math.max(onDisk, await countedOnce(account))
  return { dbDocuments, attachedFiles: attachedFilesOf(db, prefix) }
}

/** By account, for the version of it that was counted. */
const counted = new WeakMap<Account, { version: unknown; size: number }>()

async function countedOnce(account: Account): Promise<number> {
  const { version } = account
  const known = counted.get(account)
  if (known?.version === version) return known.size
  const size = await countedRecords(account)
  counted.set(account, { version, size })
  return size
}

/** Characters of an account's records, counted one by one up to what may lie in memory. */
async function countedRecords({ db, prefix }: Account): Promise<number> {
  const reading = db.entries(under(accountKeys.all(prefix)))
  let size = 0
  try {
    for (let page = await reading.next(PAGE); page.length > 0; page = await reading.next(PAGE)) {
      for (const [key, value] of page) size += key.length + value.length
      if (size >= MAX_IN_MEMORY) break
    }
  } finally {
    await reading.close()
  }
  return size
}
