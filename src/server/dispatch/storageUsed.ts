/** Storage usage of an account: bytes of its records and of its attachments (docs/interface/account-streams.md#fields). */
import type { Account } from '../../store/engine/account.js'
import { findEvent } from '../../store/events/events.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { ATTACHED_FILES } from '../../store/model/systemStreams.js'

/** Storage usage in bytes. */
interface StorageUsed {
  /** Approximate size of its records on disk. */
  dbDocuments: number
  /** Exact size of its attachments. */
  attachedFiles: number
}

type Reader = { get(key: string): string | undefined }

/** Returns the exact size of an account's attachments. */
export function attachedFilesOf(reader: Reader, account: string): number {
  const content = findEvent(reader, account, ATTACHED_FILES)?.content
  return typeof content === 'number' ? content : 0
}

/** Returns the size of an account's records in LevelDB's tables, without recent writes that are still in memory. */
export const recordsOnDisk = ({ db, prefix }: Account): Promise<number> => db.size(under(accountKeys.all(prefix)))

/** Maximum size of LevelDB's memory table. */
const MAX_IN_MEMORY = 4 * 1024 * 1024
const PAGE = 1000

/** Returns the current storage usage of an account. */
export async function storageUsedOf(account: Account): Promise<StorageUsed> {
  const { db, prefix } = account
  const onDisk = await recordsOnDisk(account)
  // For a large account, the part in memory is negligible.
  const dbDocuments = onDisk >= MAX_IN_MEMORY ? onDisk : Math.max(onDisk, await countedOnce(account))
  return { dbDocuments, attachedFiles: attachedFilesOf(db, prefix) }
}

/** Counts by account, for the counted version. */
const counted = new WeakMap<Account, { version: unknown; size: number }>()

async function countedOnce(account: Account): Promise<number> {
  const { version } = account
  const known = counted.get(account)
  if (known?.version === version) return known.size
  const size = await countedRecords(account)
  counted.set(account, { version, size })
  return size
}

/** Counts the characters of an account's records, up to the size of LevelDB's memory table. */
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
