/** Keeping the counter of an account's records up to date in its account stream (data supplement 5.1). */
import type { Account } from '../store/account.js'
import { findEvent } from '../store/events.js'
import { DB_DOCUMENTS } from '../store/model/systemStreams.js'
import { writeField } from './events/accountFields.js'
import type { Node } from './node.js'
import { storageUsedOf } from './storageUsed.js'

/** Recomputes how much an account takes on disk and notes it in its account stream when it changed. */
export async function refreshStorageUsed(node: Node, account: Account): Promise<void> {
  const field = node.systemStreams.byStream(DB_DOCUMENTS)
  if (field === undefined || node.store.state !== 'writable') return
  const { dbDocuments: bytes } = await storageUsedOf(account)
  const current = findEvent(node.store.db, account.prefix, DB_DOCUMENTS)
  if (current?.content === bytes) return
  await account.write((t) => writeField(node, account, t, field, bytes, 'system'))
}
