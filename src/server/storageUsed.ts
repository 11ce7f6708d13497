/** The storage counters of an account: bytes of its records and of its attached files (data supplement 5.1). */
import type { Account } from '../store/account.js'
import { findEvent } from '../store/events.js'
import { accountKeys, under } from '../store/keys.js'
import { DB_DOCUMENTS } from '../store/model/systemStreams.js'
import { writeField } from './events/accountFields.js'
import type { Node } from './node.js'

/** Recomputes how much an account takes on disk and notes it in its account stream when it changed. */
export async function refreshStorageUsed(node: Node, account: Account): Promise<void> {
  const field = node.systemStreams.byStream(DB_DOCUMENTS)
  if (field === undefined || node.store.state !== 'writable') return
  const bytes = await node.store.db.size(under(accountKeys.all(account.prefix)))
  const current = findEvent(node.store.db, account.prefix, DB_DOCUMENTS)
  if (current?.content === bytes) return
  await account.write((t) => writeField(node, account, t, field, bytes, 'system'))
}
