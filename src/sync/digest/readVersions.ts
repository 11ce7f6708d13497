/** Reads the earlier versions of events out of the journal. */
import type { Account } from '../../store/engine/account.js'
import type { EventVersion } from '../../store/model/event.js'
import type { Yielder } from '../../store/engine/yield.js'
import { changesBack } from './readItem.js'
import { versionsOf, type VersionBounds } from '../crdt/eventVersions.js'

/** Database and account to read an event from, ideally a snapshot: other writes may change or delete the event at each pause. */
type VersionSource = Pick<Account, 'db' | 'prefix'>

/**
 * Reads the earlier versions of a live event, oldest first, the latest within the bounds. Empty for missing or deleted
 * events, and for items without a document.
 * @throws Failure `corrupted-data`
 */
export async function readVersions(source: VersionSource, id: string, pause: Yielder, bounds: VersionBounds): Promise<EventVersion[]> {
  const versions: EventVersion[] = []
  for await (const version of eachVersion(source, id, pause, bounds)) versions.push(version)
  return versions
}

/** Yields the same versions one by one. */
export async function* eachVersion(
  { db, prefix }: VersionSource,
  id: string,
  pause: Yielder,
  bounds: VersionBounds = {},
): AsyncGenerator<EventVersion> {
  const changes: Uint8Array[] = []
  for (const change of changesBack(db, prefix, { kind: 'event', id })) {
    changes.push(change)
    await pause()
  }
  for (const version of versionsOf(id, changes, bounds)) {
    if (version !== undefined) yield version
    await pause()
  }
}
