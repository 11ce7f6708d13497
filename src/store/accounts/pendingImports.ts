/**
 * Accounts being imported: filled over many transactions, and invisible until the last one gives them a user and names.
 * The first transaction sets a mark, by which the next start finds and erases the remains of a crash (index.ts).
 */
import type { Transaction } from '../engine/account.js'
import { nodeKeys } from '../engine/keys.js'

type Reader = { get(key: string): string | undefined }

/** Checks whether an account is still being imported. */
export const isImporting = (reader: Reader, account: string): boolean => reader.get(nodeKeys.arriving(account)) !== undefined

/** Marks the account of a transaction as being imported. */
export function beginImport(t: Transaction): void {
  t.put(nodeKeys.arriving(t.account), '')
  t.sync()
}

/** Removes the mark, in the transaction that gives the account its user and names or erases it. */
export function finishImport(t: Transaction): void {
  t.delete(nodeKeys.arriving(t.account))
}
