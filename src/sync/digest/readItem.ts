/**
 * Reads single items from the store: complete items for another node (`readItem`), and their digest elements
 * (`stateOfItem`): the changes of documents, and one element for each other part. `stateAtPeer` computes the element of the
 * copy that a share peer has, as far as this side knows.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { elementOf } from '../../store/accesses/accessRecord.js'
import { findAccess, findDeletedAccess } from '../../store/accesses/accesses.js'
import { findProfile } from '../../store/accounts/profiles.js'
import type { Account } from '../../store/engine/account.js'
import { changesOf, latestEntry } from '../../store/engine/changes.js'
import type { Database } from '../../store/engine/database.js'
import { accountKeys } from '../../store/engine/keys.js'
import { readShareDocument } from '../../store/engine/shareDocuments.js'
import { findDeletion, findRecord } from '../../store/events/events.js'
import type { Store } from '../../store/index.js'
import type { Seal } from '../../store/keyring/seal.js'
import { isNodeLocalAccess } from '../../store/model/delegation.js'
import {
  changeElement,
  deletionElement,
  isNodeLocal,
  seriesVersionElement,
  tombstoneElement,
  xorInto,
  zeroDigest,
  type DigestElement,
} from '../../store/model/digestElement.js'
import { recordToEvent } from '../../store/model/eventRecord.js'
import { profileState, registersSince } from '../../store/model/profileRegisters.js'
import { piecesSince } from '../../store/series/pointsSince.js'
import { seriesVersions } from '../../store/series/versionVector.js'
import { findTombstone } from '../../store/streams/tombstones.js'
import { parseChange } from '../crdt/parseChange.js'
import { encodedRoots } from '../merge/share/roots.js'
import { itemKey, type Entry, type ItemKind, type ItemRef, type SeriesEntry } from '../wire/entry.js'
import type { RecordReader } from '../../store/engine/recordReader.js'

/** Source of a digest: database, encryption and account. */
export interface DigestSource {
  db: Database
  seal: Seal
  /** Key prefix of the account. */
  account: string
}

/** Returns the elements of an item other than its live changes. */
export function elementsBesideChanges(reader: RecordReader, seal: Seal, account: string, kind: ItemKind, id: string): DigestElement[] {
  switch (kind) {
    case 'event': {
      const deletion = findDeletion(reader, account, id)
      return deletion === undefined ? [] : [deletionElement(`e${id}`, deletion.deleted)]
    }
    case 'stream': {
      const tombstone = findTombstone(reader, account, id)
      return tombstone === undefined ? [] : [tombstoneElement(`s${id}`, tombstone.deleted, tombstone.roots)]
    }
    case 'access': {
      const stored = findAccess(reader, seal, account, id) ?? findDeletedAccess(reader, seal, account, id)
      const element = stored === undefined ? undefined : elementOf(stored)
      return element === undefined ? [] : [element]
    }
    case 'series':
      return [...seriesVersions(reader, account, id)].map(([actor, time]) => seriesVersionElement(`m${id}`, actor, time))
    case 'profile': {
      const stored = findProfile(reader, account, id)
      return stored === undefined ? [] : [profileState(stored)]
    }
  }
}

/** Yields the changes of a live document, latest first, reading them lazily; none for missing items and other kinds. */
export function* changesBack(db: Database, account: string, { kind, id }: ItemRef): Generator<Uint8Array> {
  const latest = kind !== 'event' && kind !== 'stream' ? undefined : latestEntry(db, account, kind, id)
  if (latest === undefined) return
  const reader = { account, getBytes: (key: string) => db.getBytes(key) }
  for (const { change } of changesOf(reader, latest)) yield change
}

/** Returns the changes of a live document, oldest first. */
export const changesOfItem = (db: Database, account: string, item: ItemRef): Uint8Array[] => [...changesBack(db, account, item)].reverse()

/** Computes the digest element of one item. */
export function stateOfItem({ db, seal, account }: DigestSource, item: ItemRef): DigestElement {
  const { kind, id } = item
  const name = itemKey(item)
  const state = zeroDigest()
  if (isNodeLocal(name)) return state
  for (const change of changesOfItem(db, account, item)) xorInto(state, changeElement(name, change))
  for (const element of elementsBesideChanges(db, seal, account, kind, id)) xorInto(state, element)
  return state
}

/** Number of items read in one turn of the event loop. */
const ITEMS_A_TURN = 100

const NO_VERSIONS: ReadonlyMap<string, number> = new Map()

/**
 * Returns all entries of an item, deletions included: of a series the points after `versionVector`, of a profile set the
 * registers of the journal entry `since` or later ones. Empty for missing and node-local items.
 */
export async function readItem(
  store: Store,
  account: Account,
  item: ItemRef,
  versionVector: ReadonlyMap<string, number> = NO_VERSIONS,
  since = 0,
): Promise<Entry[]> {
  if (item.kind === 'series') return pointsSince(account, item.id, versionVector)
  if (item.kind === 'profile') return readProfile(store, account, item.id, since)
  return readSingle(store, account, item)
}

/** Reads many items that are not series, each as `readItem` does, yielding to the event loop. */
export async function readItems(store: Store, account: Account, items: readonly ItemRef[]): Promise<Entry[][]> {
  const read: Entry[][] = []
  for (const item of items) {
    read.push(readSingle(store, account, item))
    if (read.length % ITEMS_A_TURN === 0) await yieldTurn()
  }
  return read
}

function readSingle({ db, seal }: Store, { prefix }: Account, item: ItemRef): Entry[] {
  const { kind, id } = item
  if (isNodeLocal(itemKey(item))) return []
  if (kind === 'access') {
    const stored = findAccess(db, seal, prefix, id) ?? findDeletedAccess(db, seal, prefix, id)
    return stored === undefined || isNodeLocalAccess(stored.access) ? [] : [{ kind, id, ...stored }]
  }
  if (kind === 'series') return []
  if (kind === 'profile') return readProfile({ db }, { prefix }, id, 0)
  const entries: Entry[] = []
  const changes = changesOfItem(db, prefix, item)
  if (kind === 'event' && changes.length === 0) {
    const deletion = findDeletion(db, prefix, id)
    if (deletion !== undefined) entries.push({ kind, id, deleted: deletion.deleted })
  }
  const tombstone = kind === 'stream' ? findTombstone(db, prefix, id) : undefined
  if (tombstone !== undefined) entries.push({ kind: 'stream', id, deleted: tombstone.deleted, roots: tombstone.roots })
  if (changes.length > 0) {
    const files = kind === 'event' ? filesOf(db, prefix, id) : undefined
    entries.push(files === undefined ? { kind, id, changes } : { kind, id, changes, files })
  }
  return entries
}

function readProfile({ db }: Pick<Store, 'db'>, { prefix }: Pick<Account, 'prefix'>, id: string, since: number): Entry[] {
  const stored = findProfile(db, prefix, id)
  return stored === undefined ? [] : [{ kind: 'profile', id, modified: stored.profile.modified, registers: registersSince(stored, since) }]
}

/** Returns the content digests of an event's files by file id; undefined without files. */
export function filesOf(db: Database, account: string, id: string): ReadonlyMap<string, string> | undefined {
  const record = findRecord(db, account, id)
  if (record?.includes(',"attachments":[') !== true) return undefined
  const files = new Map<string, string>()
  for (const file of recordToEvent(record).attachments ?? []) {
    const digest = db.get(accountKeys.fileDigest(account, id, file.id))
    if (digest !== undefined) files.set(file.id, digest)
  }
  return files.size === 0 ? undefined : files
}

/** Returns the version vector of a series: latest timestamp of each actor in microseconds. */
export const readVersionVector = (account: Account, event: string): Promise<Map<string, number>> =>
  Promise.resolve(seriesVersions(account.db, account.prefix, event))

/** Approximate maximum of encoded bytes returned at once. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Returns the points of the series of `event` after a version vector (timestamps in microseconds by actor, 0 for missing
 * actors), from one snapshot, up to about `max` bytes. The entries of an actor are consecutive. A receiver calls again with
 * its new version vector until the result is empty. Empty for events without a series.
 * @throws SegmentDamaged
 */
export async function pointsSince(
  account: Account,
  event: string,
  versionVector: ReadonlyMap<string, number>,
  max = MAX_BYTES,
): Promise<SeriesEntry[]> {
  const entries: SeriesEntry[] = []
  let size = 0
  for await (const piece of piecesSince(account, event, versionVector)) {
    entries.push({ kind: 'series', id: event, ...piece })
    for (const { length } of piece.segments) size += length
    if (size >= max) break
  }
  return entries
}

/**
 * Returns the hashes of the first changes of a document, hexadecimal: of the stored one, and of streams also of deleted
 * ones. Deleted events have none.
 * @throws Failure `corrupted-data` when a change cannot be read
 */
export function rootsOf(db: Database, account: string, item: ItemRef): string[] {
  const firsts = changesOfItem(db, account, item).map(parseChange).filter(({ deps }) => deps.length === 0)
  const buried = item.kind === 'stream' ? (findTombstone(db, account, item.id)?.roots ?? []) : []
  return [...new Set([...firsts.map(({ hash }) => hash), ...buried])]
}

/** Computes the digest element of a peer's copy: that of its share document, or that of the local item. */
export function stateAtPeer(stored: DigestSource, peer: number, item: ItemRef): DigestElement {
  const { db, account } = stored
  const name = itemKey(item)
  const document = item.kind === 'event' || item.kind === 'stream' ? readShareDocument(db, account, name, peer) : undefined
  if (document === undefined) return stateOfItem(stored, item)
  const state = zeroDigest()
  for (const change of document.changes ?? changesOfItem(db, account, item)) xorInto(state, changeElement(name, change))
  const tombstone = item.kind === 'stream' ? findTombstone(db, account, item.id) : undefined
  if (tombstone !== undefined) xorInto(state, tombstoneElement(name, tombstone.deleted, encodedRoots(db, account, item.id, peer)))
  return state
}
