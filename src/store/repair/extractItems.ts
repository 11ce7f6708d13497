/**
 * Extracts broken items from the store with everything that is left of them, so that the regular write code can restore
 * them. The next check finds their index entries stale and removes them.
 */
import { decodeEntry, erasedEntry, kindLetter } from '../engine/journal.js'
import { each, type Database } from '../engine/database.js'
import { isFileDigest } from '../leveldb/filesOnDisk.js'
import { accountKeys, orderedToNumber, under } from '../engine/keys.js'
import type { Event } from '../model/event.js'
import type { StoredProfile } from '../model/profileRegisters.js'
import type { Stream } from '../model/stream.js'
import type { Item } from '../engine/changeRecorder.js'
import { parseFormerProfile, parseStoredProfile, isProfileDelta } from '../check/accountRecords.js'
import { parseEvent } from '../check/events.js'
import { objectIn } from '../check/crossReference.js'
import { streamIn } from '../check/streams.js'
import type { BrokenItem } from './pass.js'

/** Everything that is left of an item. */
export interface Remains {
  broken: BrokenItem
  /** Its readable changes, as journaled. */
  changes: Uint8Array[]
  /** Profile set with its stamps, if its record is readable. */
  profile?: StoredProfile
  /** Set when the backup contributed to it. */
  isFromBackup?: true
  /** Its record, if readable. */
  record: Item | undefined
  /** SHA-256 of its files, by file id. */
  files: Map<string, string>
  /** True when it was deleted: then only stale entries are removed. */
  isDeleted: boolean
}

/** Extracts items of one account. */
export async function extractItems(db: Database, account: string, broken: readonly BrokenItem[]): Promise<Remains[]> {
  const remains = new Map<string, Remains>()
  const batch = db.batch()
  for (const item of broken) {
    const stored = remainsOf(db, item)
    remains.set(kindLetter(item.kind) + item.id, stored)
    for (const key of keysOf(db, item)) if (!stored.isDeleted || key !== accountKeys.eventPlace(account, item.id)) batch.delete(key)
  }
  const prefix = accountKeys.journals(account)
  for await (const [key, bytes] of each(db.byteEntries(under(prefix)))) {
    const entry = decodeEntry(bytes)
    if (entry === undefined || entry.action === 'delete') continue
    const item = remains.get(kindLetter(entry.kind) + entry.id)
    if (item === undefined) continue
    if (!isProfileDelta(entry)) item.changes.push(entry.change)
    batch.put(key, erasedEntry())
  }
  const references = accountKeys.fileReferences(account)
  if (broken.some(({ kind }) => kind === 'event')) {
    for await (const key of each(db.keys(under(references)))) {
      const [digest = '', event = '', file = ''] = key.slice(references.length).split('/')
      remains.get(`e${event}`)?.files.set(file, digest)
    }
  }
  if (batch.length > 0) await batch.write({ sync: false })
  return [...remains.values()]
}

function remainsOf(db: Database, broken: BrokenItem): Remains {
  const { account, kind, id } = broken
  const isDeleted = kind === 'event' && db.get(accountKeys.eventPlace(account, id))?.startsWith('{"') === true && isDeletion(db, account, id)
  const profile = kind === 'profile' ? parseStoredProfile(id, db.get(accountKeys.profile(account, id)) ?? '') : undefined
  return { broken, changes: [], record: recordOf(db, broken), files: filesOf(db, account, id), isDeleted, ...(profile === undefined ? {} : { profile }) }
}

const isDeletion = (db: Database, account: string, id: string): boolean =>
  objectIn(db.get(accountKeys.eventPlace(account, id)))?.['id'] === id

function filesOf(db: Database, account: string, id: string): Map<string, string> {
  const files = new Map<string, string>()
  const prefix = accountKeys.fileDigest(account, id, '')
  const event = recordOf(db, { account, kind: 'event', id, keys: [] })
  for (const { id: file } of (event?.item as Event | undefined)?.attachments ?? []) {
    const digest = db.get(prefix + file)
    if (digest !== undefined && isFileDigest(digest)) files.set(file, digest)
  }
  return files
}

/** Lists the entries of an item besides its changes and indexes. */
function keysOf(db: Database, { account, kind, id, keys }: BrokenItem): string[] {
  const own = keys.filter((key) => !key.startsWith(accountKeys.journals(account)))
  const docState = accountKeys.docState(account, kindLetter(kind) + id)
  if (kind === 'profile') return [...own, docState, accountKeys.profile(account, id)]
  if (kind === 'stream') {
    return [...own, docState, accountKeys.stream(account, id), accountKeys.streamPlace(account, id), accountKeys.declaredPlace(account, id)]
  }
  const place = accountKeys.eventPlace(account, id)
  const at = db.get(place)
  const record = at === undefined || at.startsWith('{') ? [] : [accountKeys.event(account, orderedToNumber(at), id)]
  return [...own, ...record, docState, place]
}

/** Returns the readable record of an item, if any. */
function recordOf(db: Database, item: Omit<BrokenItem, 'problem'>): Item | undefined {
  const { account, kind, id } = item
  if (kind === 'stream') {
    const stream: Stream | undefined = streamIn(db.get(accountKeys.stream(account, id)))
    return stream?.id === id ? { kind, item: stream } : undefined
  }
  if (kind === 'profile') {
    const text = db.get(accountKeys.profile(account, id))
    const profile = text === undefined ? undefined : parseFormerProfile(id, text)?.profile
    return profile === undefined ? undefined : { kind, item: profile }
  }
  const place = db.get(accountKeys.eventPlace(account, id))
  const placed = place === undefined || place.startsWith('{') ? [] : [accountKeys.event(account, orderedToNumber(place), id)]
  for (const key of [...item.keys, ...placed]) {
    const text = key.startsWith(accountKeys.events(account)) ? db.get(key) : undefined
    const event = text === undefined ? undefined : parseEvent(text)
    if (event?.id === id) return { kind, item: event }
  }
  return undefined
}

/** Lists items of an account with changes that no item refers to. */
export async function strayItems(db: Database, account: string): Promise<BrokenItem[]> {
  const latest = new Map<string, number>()
  const previous = new Map<number, number>()
  const entries: { kind: Item['kind']; id: string; sequence: number }[] = []
  const prefix = accountKeys.journals(account)
  for await (const [key, bytes] of each(db.byteEntries(under(prefix)))) {
    const entry = decodeEntry(bytes)
    if (entry === undefined || entry.action === 'delete') continue
    const { kind, id } = entry
    if ((kind !== 'event' && kind !== 'stream' && kind !== 'profile') || isProfileDelta(entry)) continue
    const sequence = orderedToNumber(key, prefix.length)
    latest.set(kindLetter(kind) + id, sequence)
    if (entry.previous !== undefined) previous.set(sequence, entry.previous)
    entries.push({ kind, id, sequence })
  }
  const reached = new Set<number>()
  for (const start of latest.values()) {
    for (let at: number | undefined = start; at !== undefined && !reached.has(at); at = previous.get(at)) reached.add(at)
  }
  const problem = { where: `account ${account}`, what: 'has changes that belong to no item' }
  const broken = new Map<string, BrokenItem>()
  for (const { kind, id, sequence } of entries) {
    if (!reached.has(sequence)) broken.set(kindLetter(kind) + id, { account, kind, id, problem, keys: [] })
  }
  return [...broken.values()]
}
