/**
 * Records of the platform: invitations, templates, one-time codes. Small JSON values by family and id, changed one at a
 * time in a transaction; a record with an expiry is as good as gone once that has passed.
 */
import type { Transaction } from './account.js'
import { each, type Database } from './database.js'
import { platformKeys, under } from './keys.js'

type Reader = { get(key: string): string | undefined }

interface Stored {
  value: unknown
  /** In seconds. */
  expires?: number
}

/** The value of a record; undefined when there is none, or when it has expired. */
export function readRecord(reader: Reader, family: string, id: string, now: number): unknown {
  const text = reader.get(platformKeys.record(family, id))
  const stored = text === undefined ? undefined : (JSON.parse(text) as Stored)
  return stored === undefined || isOver(stored, now) ? undefined : stored.value
}

const isOver = ({ expires }: Stored, now: number): boolean => expires !== undefined && expires <= now

/** Stages a record. What expires is not journaled: nobody follows it, and it leaves no trace when it is gone. */
export function putRecord(t: Transaction, family: string, id: string, value: unknown, expires?: number): void {
  const key = platformKeys.record(family, id)
  const isNew = t.get(key) === undefined
  t.put(key, JSON.stringify(expires === undefined ? { value } : { value, expires }))
  noted(t, isNew ? 'create' : 'update', family, id, expires)
}

/** Stages a record that says no more than that it is there, until it expires. A power cut may lose it. Answers its key. */
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
  noted(t, 'delete', family, id, (JSON.parse(text) as Stored).expires)
}

function noted(t: Transaction, action: 'create' | 'update' | 'delete', family: string, id: string, expires?: number): void {
  if (expires === undefined) t.journal('record', action, `${family}/${id}`)
  else t.sync()
}

/** Records of a family in the order of their ids, without expired ones. */
export async function listRecords(db: Database, family: string, now: number): Promise<{ id: string; value: unknown }[]> {
  const prefix = platformKeys.records(family)
  const found = []
  for await (const [key, text] of each(db.entries(under(prefix)))) {
    const stored = JSON.parse(text) as Stored
    if (!isOver(stored, now)) found.push({ id: key.slice(prefix.length), value: stored.value })
  }
  return found
}

/** Keys of records that have expired, a bounded number of them. */
export async function expiredRecords(db: Database, now: number, max: number): Promise<string[]> {
  const keys = []
  for await (const [key, text] of each(db.entries(under(platformKeys.all)))) {
    if (!isOver(JSON.parse(text) as Stored, now)) continue
    keys.push(key)
    if (keys.length === max) break
  }
  return keys
}

/** Stages the removal of a record by its key, if it has expired still. */
export function removeExpired(t: Transaction, key: string, now: number): void {
  const text = t.get(key)
  if (text !== undefined && isOver(JSON.parse(text) as Stored, now)) t.delete(key)
}
