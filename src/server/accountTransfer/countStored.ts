/** Counts the items of an account in the store. */
import type { Counts } from '../../store/backup/manifest.js'
import { each, type Database } from '../../store/engine/database.js'
import { findDeletion } from '../../store/events/events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../../store/engine/keys.js'
import { isAccountStreamId } from '../../store/model/slug.js'
import { isCounter } from '../../store/model/systemStreams.js'
import { createYielder } from '../../store/engine/yield.js'
import { eachVersion } from '../../sync/digest/readVersions.js'

/** Maximum milliseconds of work before calls may run. */
const SLICE_MS = 8

/** Counts earlier versions of live events, by their changes, and retained versions of deleted ones. */
async function countVersions(db: Database, account: string): Promise<number> {
  const pause = createYielder(SLICE_MS)
  let found = 0
  const books = accountKeys.docState(account, 'e')
  for await (const key of each(db.keys(under(books)))) {
    const id = key.slice(books.length)
    if (isCounter(id)) continue
    for await (const _ of eachVersion({ db, prefix: account }, id, pause)) found += 1
  }
  const all = accountKeys.versions(account, '').slice(0, -1)
  for await (const key of each(db.keys(under(all)))) {
    if (findDeletion(db, account, key.slice(all.length, -ORDERED_LENGTH - 1)) !== undefined) found += 1
  }
  return found
}

/** Counts attached files; files with equal bytes count once. */
async function countFiles(db: Database, account: string): Promise<number> {
  const all = accountKeys.fileReferences(account)
  let former = ''
  let found = 0
  for await (const key of each(db.keys(under(all)))) {
    const [digest = ''] = key.slice(all.length).split('/')
    if (digest !== former) found += 1
    former = digest
  }
  return found
}

/** Counts the items of an account by kind. */
export async function countStored(db: Database, account: string): Promise<Counts> {
  const count = async (prefix: string): Promise<number> => {
    let found = 0
    const source = db.keys(under(prefix))
    try {
      for (let page = await source.next(1000); page.length > 0; page = await source.next(1000)) found += page.length
    } finally {
      await source.close()
    }
    return found
  }
  const a = account
  let events = 0
  const places = accountKeys.eventPlaces(a)
  for await (const [key, place] of each(db.entries(under(places)))) {
    if (!place.startsWith('{') && !isAccountStreamId(key.slice(places.length))) events += 1
  }
  return {
    streams: await count(accountKeys.streams(a)),
    events,
    eventVersions: await countVersions(db, a),
    eventDeletions: await count(accountKeys.eventDeletions(a)),
    streamDeletions: await count(accountKeys.streamDeletions(a)),
    attachments: await count(accountKeys.fileDigests(a)),
    files: await countFiles(db, a),
    series: await count(accountKeys.allSeries(a)),
    accessDeletions: await count(accountKeys.accessDeletions(a)),
    profileSets: await count(accountKeys.profile(a, '')),
    followedSlices: await count(accountKeys.slices(a)),
  }
}
