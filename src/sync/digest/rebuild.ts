/**
 * Computes the digest of an account from its stored items: the live changes in its journal, the deletions, the accesses and
 * the version vectors of series. Reads each once, in bounded memory.
 */
import { elementOf } from '../../store/accesses/accessRecord.js'
import { findAccess, findDeletedAccess } from '../../store/accesses/accesses.js'
import { each, type Database, type Snapshot } from '../../store/engine/database.js'
import type { Tombstone } from '../../store/streams/tombstones.js'
import { decodeEntry } from '../../store/engine/journal.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, under } from '../../store/engine/keys.js'
import { readerOf } from '../../store/engine/recordReader.js'
import { deletionElement, tombstoneElement, seriesVersionElement, isNodeLocal, type DigestElement } from '../../store/model/digestElement.js'
import { profileState } from '../../store/model/profileRegisters.js'
import { findProfile } from '../../store/accounts/profiles.js'
import { digestDelta, isDocument } from './digestDelta.js'
import type { DigestSource } from './readItem.js'
import { BucketByEntry, BucketDigests, bucketOf, SUM_PAGES } from './buckets.js'

/** Digest of an account up to a journal entry. */
export interface RebuiltDigests {
  sums: BucketDigests
  places: BucketByEntry
  /** Sequence of the latest entry included. */
  upTo: number
}

/** A digest computed from the items. */
interface Rebuilt extends RebuiltDigests {
  /** Number of items with a state. */
  items: number
}

const PAGE = 1000

/** Returns the sequence of the latest journal entry, in a snapshot if given; 0 when there is none. */
export async function lastEntry(db: Database, account: string, snapshot?: Snapshot): Promise<number> {
  const source = db.keys(under(accountKeys.journals(account)), { reverse: true, limit: 1 }, snapshot)
  const [key] = await source.next(1)
  await source.close()
  return key === undefined ? 0 : orderedToNumber(key, key.length - ORDERED_LENGTH)
}

/** Computes the digest of an account from a snapshot. */
export async function rebuild(stored: DigestSource, snapshot: Snapshot): Promise<Rebuilt> {
  const made: Rebuilt = { sums: new BucketDigests(), places: new BucketByEntry(), items: 0, upTo: 0 }
  const add = (item: string, element: DigestElement): void => made.sums.toggle(bucketOf(item), element)
  for (let page = 0; page < SUM_PAGES; page++) made.sums.touched.add(page)
  await addChanges(stored, snapshot, made)
  await addDeletions(stored, snapshot, made, add)
  await addTombstones(stored, snapshot, made, add)
  await addAccesses(stored, snapshot, made, add)
  await addProfiles(stored, snapshot, made, add)
  await addVersionVectors(stored, snapshot, made, add)
  return made
}

type Add = (item: string, element: DigestElement) => void

async function addChanges({ db, account }: DigestSource, snapshot: Snapshot, made: Rebuilt): Promise<void> {
  const prefix = accountKeys.journals(account)
  const source = db.byteEntries(under(prefix), {}, snapshot)
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      for (const [key, bytes] of page) {
        made.upTo = orderedToNumber(key, prefix.length)
        const entry = decodeEntry(bytes)
        const effect = entry && digestDelta(entry.kind, entry.action, entry.id, entry.change)
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

async function addDeletions({ db, account }: DigestSource, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.eventDeletions(account)
  for await (const key of each(db.keys(under(prefix), {}, snapshot))) {
    const item = `e${key.slice(prefix.length + ORDERED_LENGTH)}`
    if (isNodeLocal(item)) continue
    add(item, deletionElement(item, orderedToNumber(key, prefix.length)))
    made.items += 1
  }
}

async function addTombstones({ db, account }: DigestSource, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.tombstones(account)
  for await (const [key, text] of each(db.entries(under(prefix), {}, snapshot))) {
    const id = key.slice(prefix.length)
    const { deleted, roots } = JSON.parse(text) as Tombstone
    add(`s${id}`, tombstoneElement(`s${id}`, deleted, roots))
    if (db.get(accountKeys.streamPlace(account, id), snapshot) === undefined) made.items += 1
  }
}

async function addAccesses({ db, seal, account }: DigestSource, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const reader = readerOf(db, snapshot)
  const families = [
    [accountKeys.accesses(account), findAccess],
    [accountKeys.accessesDeleted(account), findDeletedAccess],
  ] as const
  for (const [prefix, find] of families) {
    for await (const key of each(db.keys(under(prefix), {}, snapshot))) {
      const stored = find(reader, seal, account, key.slice(prefix.length))
      const element = stored && elementOf(stored)
      if (stored === undefined || element === undefined) continue
      add(`a${stored.access.id}`, element)
      made.items += 1
    }
  }
}

async function addProfiles({ db, account }: DigestSource, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.profile(account, '')
  const reader = readerOf(db, snapshot)
  for await (const key of each(db.keys(under(prefix), {}, snapshot))) {
    const id = key.slice(prefix.length)
    const stored = findProfile(reader, account, id)
    if (stored === undefined) continue
    add(`p${id}`, profileState(stored))
    made.items += 1
  }
}

async function addVersionVectors({ db, account }: DigestSource, snapshot: Snapshot, made: Rebuilt, add: Add): Promise<void> {
  const prefix = accountKeys.allSeriesVersions(account)
  let last = ''
  for await (const [key, time] of each(db.entries(under(prefix), {}, snapshot))) {
    const [event = '', actor = ''] = key.slice(prefix.length).split('/')
    add(`m${event}`, seriesVersionElement(`m${event}`, actor, Number(time)))
    if (event !== last) made.items += 1
    last = event
  }
}
