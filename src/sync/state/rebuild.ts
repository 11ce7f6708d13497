/**
 * The state of an account, made from what is kept of its items: the changes in its journal that are not erased, which are
 * those of live items, and the deletions, accesses and reaches of series. One pass over each, in bounded memory.
 */
import { elementOf } from '../../store/accessRecord.js'
import { findAccess } from '../../store/accesses.js'
import { each, type Database, type Snapshot } from '../../store/database.js'
import { findDeletedAccess } from '../../store/deletedAccesses.js'
import { readerOf } from '../../store/events.js'
import type { Grave } from '../../store/graves.js'
import { decodeEntry } from '../../store/journal.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, under } from '../../store/keys.js'
import { deletionElement, graveElement, reachElement, staysHome, type Element } from '../../store/model/element.js'
import { profileState } from '../../store/model/profileRegisters.js'
import { findProfile } from '../../store/profiles.js'
import type { Seal } from '../../store/seal.js'
import { effectOf, isDocument } from './effect.js'
import { Places } from './places.js'
import { bucketOf, SUM_PAGES, Sums } from './sums.js'

/** Where an account is kept. */
export interface Kept {
  db: Database
  seal: Seal
  /** The account's key prefix. */
  account: string
}

/** The state of an account up to an entry of its journal. */
export interface Made {
  sums: Sums
  places: Places
  /** Sequence of the latest entry that it contains. */
  upTo: number
}

/** A state that was made from the items. */
export interface Rebuilt extends Made {
  /** How many items have a state. */
  items: number
}

const PAGE = 1000

/** The sequence of the latest entry of a journal at one moment; 0 when there is none. */
export async function lastEntry(db: Database, account: string, snapshot?: Snapshot): Promise<number> {
  const source = db.keys(under(accountKeys.journals(account)), { reverse: true, limit: 1 }, snapshot)
  const [key] = await source.next(1)
  await source.close()
  return key === undefined ? 0 : orderedToNumber(key, key.length - ORDERED_LENGTH)
}

/** Makes the state of an account at one moment. */
export async function rebuild(kept: Kept, snapshot: Snapshot): Promise<Rebuilt> {
  const made: Rebuilt = { sums: new Sums(), places: new Places(), items: 0, upTo: 0 }
  const add = (item: string, element: Element): void => made.sums.toggle(bucketOf(item), element)
  for (let page = 0; page < SUM_PAGES; page++) made.sums.touched.add(page)
  await addChanges(kept, snapshot, made)
  await addDeletions(kept, snapshot, made, add)
  await addGraves(kept, snapshot, made, add)
  await addAccesses(kept, snapshot, made, add)
  await addProfiles(kept, snapshot, made, add)
  await addReaches(kept, snapshot, made, add)
  return made
}

type Add = (item: string, element: Element) => void

async function addChanges({ db, account }: Kept, snapshot: Snapshot, made: Rebuilt): Promise<void> {
  const prefix = accountKeys.journals(account)
  const source = db.byteEntries(under(prefix), {}, snapshot)
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      for (const [key, bytes] of page) {
        made.upTo = orderedToNumber(key, prefix.length)
        const entry = decodeEntry(bytes)
        const effect = entry && effectOf(entry.kind, entry.action, entry.id, entry.change)
        const bucket = effect && bucketOf(effect.item)
        made.places.set(made.upTo, bucket)
        if (entry === undefined || bucket === undefined || effect?.element === undefined) continue
        if (!isDocument(entry.kind) || entry.action === 'delete') continue
        made.sums.toggle(bucket, effect.element)
        if (entry.previous === undefined) made.items += 1
      }
    }
  } finally {
    await source.close()
  }
}

async function addDeletions({ db, account }: Kept, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.eventDeletions(account)
  for await (const key of each(db.keys(under(prefix), {}, snapshot))) {
    const item = `e${key.slice(prefix.length + ORDERED_LENGTH)}`
    if (staysHome(item)) continue
    add(item, deletionElement(item, orderedToNumber(key, prefix.length)))
    made.items += 1
  }
}

async function addGraves({ db, account }: Kept, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.graves(account)
  for await (const [key, text] of each(db.entries(under(prefix), {}, snapshot))) {
    const id = key.slice(prefix.length)
    const { deleted, roots } = JSON.parse(text) as Grave
    add(`s${id}`, graveElement(`s${id}`, deleted, roots))
    if (db.get(accountKeys.streamPlace(account, id), snapshot) === undefined) made.items += 1
  }
}

async function addAccesses({ db, seal, account }: Kept, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const reader = readerOf(db, snapshot)
  const families = [
    [accountKeys.accesses(account), findAccess],
    [accountKeys.accessesDeleted(account), findDeletedAccess],
  ] as const
  for (const [prefix, find] of families) {
    for await (const key of each(db.keys(under(prefix), {}, snapshot))) {
      const kept = find(reader, seal, account, key.slice(prefix.length))
      const element = kept && elementOf(kept)
      if (kept === undefined || element === undefined) continue
      add(`a${kept.access.id}`, element)
      made.items += 1
    }
  }
}

async function addProfiles({ db, account }: Kept, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.profile(account, '')
  const reader = readerOf(db, snapshot)
  for await (const key of each(db.keys(under(prefix), {}, snapshot))) {
    const id = key.slice(prefix.length)
    const kept = findProfile(reader, account, id)
    if (kept === undefined) continue
    add(`p${id}`, profileState(kept))
    made.items += 1
  }
}

async function addReaches({ db, account }: Kept, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.allSeriesReaches(account)
  let last = ''
  for await (const [key, time] of each(db.entries(under(prefix), {}, snapshot))) {
    const [event = '', actor = ''] = key.slice(prefix.length).split('/')
    add(`m${event}`, reachElement(`m${event}`, actor, Number(time)))
    if (event !== last) made.items += 1
    last = event
  }
}
