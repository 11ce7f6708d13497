/** Deletion of accesses. A deletion record with the sealed token remains, found by time and by id. */
import type { Account, Transaction } from '../engine/account.js'
import { accessDelta } from './accessElement.js'
import { elementOf, journaled, readRecord, recordOf, type LiveAccess } from './accessRecord.js'
import { claims, readAll } from './accesses.js'
import { accountKeys, ordered, orderedToNumber, under } from '../engine/keys.js'
import type { AccessDeletion } from '../model/access.js'
import { forgetMergeState } from '../engine/mergeState.js'
import type { Seal } from '../keyring/seal.js'
import { removeWebhooksOf } from './webhooks.js'

type Reader = { get(key: string): string | undefined }

/**
 * Removes an access with its index entries and webhooks, and stores its deletion with the token. `origin` is the number
 * of the peer that sent the deletion.
 */
export function removeAccess(
  t: Transaction,
  seal: Seal,
  live: LiveAccess,
  deletion: AccessDeletion,
  origin?: number,
  token = live.token,
): void {
  const a = t.account
  const { access } = live
  const { id } = access
  for (const [key] of claims(a, seal, live)) t.delete(key)
  for (let serial = 0; serial < (access.serial ?? 0); serial++) t.delete(accountKeys.accessVersion(a, id, serial))
  t.delete(accountKeys.access(a, id))
  t.delete(accountKeys.usage(a, id))
  t.delete(accountKeys.session(a, id))
  removeWebhooksOf(t, id)
  forgetMergeState(t, `a${id}`)
  const left = { access: deletion, token }
  stageDeletion(t, seal, left)
  const change = accessDelta(elementOf(live), elementOf(left))
  t.journal('access', 'delete', id, journaled({ before: access }, change, origin))
}

function stageDeletion(t: Transaction, seal: Seal, left: LiveAccess<AccessDeletion>): void {
  const { id, deleted } = left.access
  t.put(accountKeys.accessDeletion(t.account, deleted, id), recordOf(left, seal, t.account))
  t.put(accountKeys.accessDeleted(t.account, id), ordered(deleted))
}

/** Stores the deletion of an access that does not exist here, in place of `former`, an earlier deletion of it. */
export function putAccessDeletion(
  t: Transaction,
  seal: Seal,
  left: LiveAccess<AccessDeletion>,
  former: LiveAccess<AccessDeletion> | undefined,
  origin?: number,
): void {
  const { id } = left.access
  if (former !== undefined) t.delete(accountKeys.accessDeletion(t.account, former.access.deleted, id))
  stageDeletion(t, seal, left)
  const change = accessDelta(former && elementOf(former), elementOf(left))
  t.journal('access', 'delete', id, journaled(undefined, change, origin))
}

/** Returns all deleted accesses of an account, latest first. */
export function listAccessDeletions(account: Account, seal: Seal): Promise<LiveAccess<AccessDeletion>[]> {
  const { db, prefix } = account
  const range = under(accountKeys.accessDeletions(prefix))
  return readAll(db, range, (text) => readRecord<AccessDeletion>(text, seal, prefix), { reverse: true })
}

/** Returns the deletion of an access, with its token, by base id. */
export function findDeletedAccess(
  reader: Reader,
  seal: Seal,
  account: string,
  id: string,
): LiveAccess<AccessDeletion> | undefined {
  const place = reader.get(accountKeys.accessDeleted(account, id))
  if (place === undefined) return undefined
  const text = reader.get(accountKeys.accessDeletion(account, orderedToNumber(place), id))
  return text === undefined ? undefined : readRecord<AccessDeletion>(text, seal, account)
}
