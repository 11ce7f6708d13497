/** Updates the storage counter of an account in its account stream (docs/interface/account-streams.md#fields). */
import type { Account } from '../../../store/engine/account.js'
import { findEvent } from '../../../store/events/events.js'
import { DB_DOCUMENTS } from '../../../store/model/systemStreams.js'
import { writeField } from './accountFields.js'
import type { Context } from '../../call/context.js'
import { storageUsedOf } from '../../dispatch/quota.js'

/** Differences that are not stored. Audit records of reads change the size, and each update notifies clients. */
const LITTLE_BYTES = 4096
const LITTLE_SHARE = 0.01

/** Recomputes the size of an account, stores it in its account stream unless it is nearly unchanged, and returns it. */
export async function refreshStorageUsed(node: Context, account: Account): Promise<number> {
  const { dbDocuments: bytes } = await storageUsedOf(account)
  const field = node.systemStreams.byStream(DB_DOCUMENTS)
  if (field === undefined || node.store.state !== 'writable') return bytes
  const noted = findEvent(node.store.db, account.prefix, DB_DOCUMENTS)?.content
  const isNear = typeof noted === 'number' && noted > 0 && Math.abs(bytes - noted) < Math.max(LITTLE_BYTES, noted * LITTLE_SHARE)
  if (!isNear && noted !== bytes) await account.write((t) => writeField(node, account, t, field, bytes, 'system'))
  return bytes
}
