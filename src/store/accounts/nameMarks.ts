/**
 * Marks of changes of names that the registry of a platform of several cores has not confirmed. Written in the transaction that
 * changes the user, and removed when the registry has followed; at the next start after a crash, each is confirmed or undone.
 */
import type { Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { nodeKeys, under } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'

/** Stages the mark of an operation with its description, which is JSON. */
export function putNameMark(t: Transaction, operation: string, description: object): void {
  t.put(nodeKeys.nameMark(operation), JSON.stringify(description))
  t.sync()
}

/** Checks whether the mark of an operation is on disk. */
export const hasNameMark = (reader: RecordReader, operation: string): boolean => reader.get(nodeKeys.nameMark(operation)) !== undefined

export const removeNameMark = (t: Transaction, operation: string): void => t.delete(nodeKeys.nameMark(operation))

/** Returns the descriptions of all marks. */
export async function listNameMarks(db: Database): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const text of each(db.values(under(nodeKeys.nameMarks)))) found.push(JSON.parse(text))
  return found
}
