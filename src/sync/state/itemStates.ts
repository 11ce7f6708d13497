/** What there is of single items: the changes of documents; of the rest, elements. Read from the store. */
import { elementOf } from '../../store/accessRecord.js'
import { findAccess } from '../../store/accesses.js'
import { changesOf, latestEntry } from '../../store/changes.js'
import type { Database } from '../../store/database.js'
import { findDeletedAccess } from '../../store/deletedAccesses.js'
import { findDeletion } from '../../store/events.js'
import { findGrave } from '../../store/graves.js'
import {
  changeElement,
  deletionElement,
  graveElement,
  noElement,
  reachElement,
  staysHome,
  toggle,
  type Element,
} from '../../store/model/element.js'
import { profileState } from '../../store/model/profileRegisters.js'
import { findProfile } from '../../store/profiles.js'
import type { Seal } from '../../store/seal.js'
import { reachesOf } from '../../store/series/reaches.js'
import type { ItemKind, ItemRef } from '../entry.js'
import { nameOf } from '../itemName.js'
import type { Kept } from './rebuild.js'

type Reader = { get(key: string): string | undefined }

/** The elements of an item beside those of its live changes. */
export function remainsOf(reader: Reader, seal: Seal, account: string, kind: ItemKind, id: string): Element[] {
  switch (kind) {
    case 'event': {
      const deletion = findDeletion(reader, account, id)
      return deletion === undefined ? [] : [deletionElement(`e${id}`, deletion.deleted)]
    }
    case 'stream': {
      const grave = findGrave(reader, account, id)
      return grave === undefined ? [] : [graveElement(`s${id}`, grave.deleted, grave.roots)]
    }
    case 'access': {
      const kept = findAccess(reader, seal, account, id) ?? findDeletedAccess(reader, seal, account, id)
      const element = kept === undefined ? undefined : elementOf(kept)
      return element === undefined ? [] : [element]
    }
    case 'series':
      return [...reachesOf(reader, account, id)].map(([actor, time]) => reachElement(`m${id}`, actor, time))
    case 'profile': {
      const kept = findProfile(reader, account, id)
      return kept === undefined ? [] : [profileState(kept)]
    }
  }
}

/** The changes of a live document, latest first, each read as it is asked for; none of what is no document, or not there. */
export function* changesBack(db: Database, account: string, { kind, id }: ItemRef): Generator<Uint8Array> {
  const latest = kind !== 'event' && kind !== 'stream' ? undefined : latestEntry(db, account, kind, id)
  if (latest === undefined) return
  const reader = { account, getBytes: (key: string) => db.getBytes(key) }
  for (const { change } of changesOf(reader, latest)) yield change
}

/** The changes of a live document, oldest first, read at once. */
export const changesOfItem = (db: Database, account: string, item: ItemRef): Uint8Array[] => [...changesBack(db, account, item)].reverse()

/** The state of one item, found by its record. */
export function stateOfItem({ db, seal, account }: Kept, item: ItemRef): Element {
  const { kind, id } = item
  const name = nameOf(item)
  const state = noElement()
  if (staysHome(name)) return state
  for (const change of changesOfItem(db, account, item)) toggle(state, changeElement(name, change))
  for (const element of remainsOf(db, seal, account, kind, id)) toggle(state, element)
  return state
}
