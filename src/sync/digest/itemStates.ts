/** Reads digest elements of single items from the store: the changes of documents, and one element for each other part. */
import { elementOf } from '../../store/accesses/accessRecord.js'
import { findAccess, findDeletedAccess } from '../../store/accesses/accesses.js'
import { changesOf, latestEntry } from '../../store/engine/changes.js'
import type { Database } from '../../store/engine/database.js'
import { findDeletion } from '../../store/events/events.js'
import { findTombstone } from '../../store/streams/tombstones.js'
import {
  changeElement,
  deletionElement,
  tombstoneElement,
  zeroDigest,
  seriesVersionElement,
  isNodeLocal,
  xorInto,
  type DigestElement,
} from '../../store/model/digestElement.js'
import { profileState } from '../../store/model/profileRegisters.js'
import { findProfile } from '../../store/accounts/profiles.js'
import type { Seal } from '../../store/keyring/seal.js'
import { seriesVersions } from '../../store/series/versionVector.js'
import type { ItemKind, ItemRef } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'
import type { DigestSource } from './rebuild.js'

type Reader = { get(key: string): string | undefined }

/** Returns the elements of an item other than its live changes. */
export function remainsOf(reader: Reader, seal: Seal, account: string, kind: ItemKind, id: string): DigestElement[] {
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
  for (const element of remainsOf(db, seal, account, kind, id)) xorInto(state, element)
  return state
}
