/** Updates the storage counter of an account in its account stream (docs/interface/account-streams.md#fields). */
import type { Account } from '../../../store/engine/account.js'
import { findEvent } from '../../../store/events/events.js'
import { DB_DOCUMENTS } from '../../../store/model/systemStreams.js'
import { writeField } from './accountFields.js'
import type { Context } from '../../call/context.js'
import { confirmNotedSize, storageUsedOf, type StorageUsed } from '../../dispatch/quota.js'

/** Stores the storage usage of an account in its account stream, if it changed, and returns it. */
export async function refreshStorageUsed(node: Context, account: Account): Promise<StorageUsed> {
  const used = await storageUsedOf(account)
  const field = node.systemStreams.byStream(DB_DOCUMENTS)
  if (field === undefined || node.store.state !== 'writable') return used
  const noted = findEvent(node.store.db, account.prefix, DB_DOCUMENTS)?.content
  if (noted !== used.dbDocuments) await account.write((t) => writeField(node, account, t, field, used.dbDocuments, 'system'))
  confirmNotedSize(account, used.dbDocuments)
  return used
}
