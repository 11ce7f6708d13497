/**
 * Points that a mended store may have lost: nodes compare series by how far they reach, which says nothing of a gap. For
 * as long as the store is filled, its series are held to reach nowhere, and the paired node gives all their points.
 */
import type { Account } from '../../../store/engine/account.js'
import { each } from '../../../store/engine/database.js'
import { accountKeys, under } from '../../../store/engine/keys.js'
import { advanceSeriesVersion, seriesVersions, seriesVersion, removeSeriesVersions } from '../../../store/series/versionVector.js'

/** Forgets how far the series of an account reach. Answers what makes it known again, of points that only this node has too. */
export async function resetSeriesVersions(account: Account): Promise<() => Promise<void>> {
  const { db, prefix } = account
  const place = accountKeys.seriesActors(prefix, '')
  const before = new Map<string, Map<string, number>>()
  for await (const key of each(db.keys(under(place)))) {
    const event = key.slice(place.length)
    before.set(event, seriesVersions(db, prefix, event))
  }
  await account.write((t) => {
    for (const event of before.keys()) {
      const change = removeSeriesVersions(t, event)
      if (change !== undefined) t.journal('series', 'update', event, { change })
    }
  })
  return () =>
    account.write((t) => {
      for (const [event, reaches] of before) {
        for (const [actor, time] of reaches) {
          if ((seriesVersion(t, prefix, event, actor) ?? 0) >= time) continue
          t.journal('series', 'update', event, { change: advanceSeriesVersion(t, event, actor, time) })
        }
      }
    })
}
