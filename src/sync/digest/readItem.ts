/** Reads complete items for another node. */
import type { Account } from '../../store/engine/account.js'
import { findAccess, findDeletedAccess } from '../../store/accesses/accesses.js'
import { findDeletion, findRecord } from '../../store/events/events.js'
import { findTombstone } from '../../store/streams/tombstones.js'
import { accountKeys } from '../../store/engine/keys.js'
import { isNodeLocalAccess } from '../../store/model/delegation.js'
import { isNodeLocal } from '../../store/model/digestElement.js'
import { recordToEvent } from '../../store/model/eventRecord.js'
import { registersSince } from '../../store/model/profileRegisters.js'
import { findProfile } from '../../store/accounts/profiles.js'
import { seriesVersions } from '../../store/series/versionVector.js'
import type { Store } from '../../store/index.js'
import type { Database } from '../../store/engine/database.js'
import { changesOfItem } from './itemStates.js'
import type { Entry, ItemRef } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'
import { pointsSince } from './pointsSince.js'

/** Number of items read in one turn of the event loop. */
const ITEMS_A_TURN = 100

const nowhere: ReadonlyMap<string, number> = new Map()

/**
 * Returns all entries of an item, deletions included: of a series the points after the version vector `reaches`, of a
 * profile set the registers of the journal entry `since` or later ones. Empty for missing and node-local items.
 */
export async function readItem(
  store: Store,
  account: Account,
  item: ItemRef,
  reaches: ReadonlyMap<string, number> = nowhere,
  since = 0,
): Promise<Entry[]> {
  if (item.kind === 'series') return pointsSince(account, item.id, reaches)
  if (item.kind === 'profile') return readProfile(store, account, item.id, since)
  return readSingle(store, account, item)
}

/** Reads many items that are not series, each as `readItem` does, yielding to the event loop. */
export async function readItems(store: Store, account: Account, items: readonly ItemRef[]): Promise<Entry[][]> {
  const read: Entry[][] = []
  for (const item of items) {
    read.push(readSingle(store, account, item))
    if (read.length % ITEMS_A_TURN === 0) await new Promise(setImmediate)
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
export const readReaches = (account: Account, event: string): Promise<Map<string, number>> =>
  Promise.resolve(seriesVersions(account.db, account.prefix, event))
