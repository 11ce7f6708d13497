/**
 * Accounts that are being moved in: filled over many transactions, and seen by nobody before the last of them gives them
 * a user and names. Their mark is set with the first, so that what a crash leaves is known and erased (store.ts).
 */
import type { Transaction } from '../engine/account.js'
import { nodeKeys } from '../engine/keys.js'

type Reader = { get(key: string): string | undefined }

/** Whether an account is still being moved in. */
export const isImporting = (reader: Reader, account: string): boolean => reader.get(nodeKeys.arriving(account)) !== undefined

/** Marks the account of a transaction as one that is being moved in. */
export function beginImport(t: Transaction): void {
  t.put(nodeKeys.arriving(t.account), '')
  t.sync()
}

/** Takes the mark away: in the transaction that gives the account its user and names, or that erases it. */
export function finishImport(t: Transaction): void {
  t.delete(nodeKeys.arriving(t.account))
}
