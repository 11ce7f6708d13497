/** Keeping the counter of an account's records up to date in its account stream (data supplement 5.1). */
import type { Account } from '../store/engine/account.js'
import { findEvent } from '../store/events/events.js'
import { DB_DOCUMENTS } from '../store/model/systemStreams.js'
import { writeField } from './events/accountFields.js'
import type { Node } from './node.js'
import { storageUsedOf } from './storageUsed.js'

/** What is not noted: whoever reads the figure is recorded, which adds to it, and each note is a change that clients are told of. */
const LITTLE_BYTES = 4096
const LITTLE_SHARE = 0.01

/** Recomputes how much an account takes, notes it in its account stream unless it is nearly what is there, and answers it. */
export async function refreshStorageUsed(node: Node, account: Account): Promise<number> {
  const { dbDocuments: bytes } = await storageUsedOf(account)
  const field = node.systemStreams.byStream(DB_DOCUMENTS)
  if (field === undefined || node.store.state !== 'writable') return bytes
  const noted = findEvent(node.store.db, account.prefix, DB_DOCUMENTS)?.content
  const isNear = typeof noted === 'number' && noted > 0 && Math.abs(bytes - noted) < Math.max(LITTLE_BYTES, noted * LITTLE_SHARE)
  if (!isNear && noted !== bytes) await account.write((t) => writeField(node, account, t, field, bytes, 'system'))
  return bytes
}
