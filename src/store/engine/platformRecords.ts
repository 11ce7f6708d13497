/**
 * Records of the platform: invitations, templates, one-time codes. Small JSON values by family and id, each changed in
 * its own transaction. Expired records read as absent.
 */
import type { Transaction } from './account.js'
import { each, type Database } from './database.js'
import { platformKeys, under } from './keys.js'
import type { RecordReader } from './recordReader.js'

interface Stored {
  value: unknown
  /** In seconds. */
  expires?: number
}

/** Returns the value of a record; undefined when it is absent or expired. */
export function readRecord(reader: RecordReader, family: string, id: string, now: number): unknown {
  const text = reader.get(platformKeys.record(family, id))
  const stored = text === undefined ? undefined : (JSON.parse(text) as Stored)
  return stored === undefined || isOver(stored, now) ? undefined : stored.value
}

const isOver = ({ expires }: Stored, now: number): boolean => expires !== undefined && expires <= now

/** Stages a record. Records with an expiry are not journaled: no follower needs them, and they leave no trace once expired. */
export function putRecord(t: Transaction, family: string, id: string, value: unknown, expires?: number): void {
  const key = platformKeys.record(family, id)
  const isNew = t.get(key) === undefined
  t.put(key, JSON.stringify(expires === undefined ? { value } : { value, expires }))
  journalRecord(t, isNew ? 'create' : 'update', family, id, expires)
}

/** Stages a record without content that expires; a power cut may lose it. Returns its key. */
export function putMark(t: Transaction, family: string, id: string, expires: number): string {
  const key = platformKeys.record(family, id)
  t.put(key, JSON.stringify({ value: true, expires }))
  return key
}

/** Stages the removal of a record. */
export function removeRecord(t: Transaction, family: string, id: string): void {
  const text = t.get(platformKeys.record(family, id))
  if (text === undefined) return
  t.delete(platformKeys.record(family, id))
  journalRecord(t, 'delete', family, id, (JSON.parse(text) as Stored).expires)
}

function journalRecord(t: Transaction, action: 'create' | 'update' | 'delete', family: string, id: string, expires?: number): void {
  if (expires === undefined) t.journal('record', action, `${family}/${id}`)
  else t.sync()
}

/** Returns the records of a family by id, without expired ones. */
export async function listRecords(db: Database, family: string, now: number): Promise<{ id: string; value: unknown }[]> {
  const prefix = platformKeys.records(family)
  const found = []
  for await (const [key, text] of each(db.entries(under(prefix)))) {
    const stored = JSON.parse(text) as Stored
    if (!isOver(stored, now)) found.push({ id: key.slice(prefix.length), value: stored.value })
  }
  return found
}

/** Returns the keys of at most `max` expired records. */
export async function expiredRecords(db: Database, now: number, max: number): Promise<string[]> {
  const keys = []
  for await (const [key, text] of each(db.entries(under(platformKeys.all)))) {
    if (!isOver(JSON.parse(text) as Stored, now)) continue
    keys.push(key)
    if (keys.length === max) break
  }
  return keys
}

/** Stages the removal of a record by its key if it is still expired. */
export function removeExpired(t: Transaction, key: string, now: number): void {
  const text = t.get(key)
  if (text !== undefined && isOver(JSON.parse(text) as Stored, now)) t.delete(key)
}
