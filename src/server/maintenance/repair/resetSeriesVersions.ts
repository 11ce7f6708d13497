/**
 * Resets the series version vectors of a repaired store, which may have lost points. Version vectors reveal no gaps, so the
 * paired node must resend every point.
 */
import type { Account } from '../../../store/engine/account.js'
import { each } from '../../../store/engine/database.js'
import { accountKeys, under } from '../../../store/engine/keys.js'
import { advanceSeriesVersion, seriesVersions, seriesVersion, removeSeriesVersions } from '../../../store/series/versionVector.js'

/** Clears the series versions of an account. Returns a function that restores them, including points that only this node has. */
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
