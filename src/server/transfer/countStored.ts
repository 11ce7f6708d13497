/** What an account has, counted in the store itself. */
import type { Counts } from '../../store/backup/manifest.js'
import { each, type Database } from '../../store/database.js'
import { accountKeys, under } from '../../store/keys.js'
import { isAccountStreamId } from '../../store/model/slug.js'

/** Counts the things of an account that are kept one by one. */
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
    eventVersions: await count(accountKeys.versions(a, '').slice(0, -1)),
    eventDeletions: await count(accountKeys.eventDeletions(a)),
    streamDeletions: await count(accountKeys.streamDeletions(a)),
    attachments: await count(accountKeys.fileDigests(a)),
    series: await count(accountKeys.allSeries(a)),
    accessDeletions: await count(accountKeys.accessDeletions(a)),
    profileSets: await count(accountKeys.profile(a, '')),
    followedSlices: await count(accountKeys.slices(a)),
  }
}
