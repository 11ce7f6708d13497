/** What an event said after each of its changes: the history that there is without records of versions. */
import type { Account } from '../../store/account.js'
import type { Event } from '../../store/model/event.js'
import { momentOf } from '../../store/moment.js'
import type { Pause } from '../../store/pauses.js'
import { fieldsAfterEach } from '../document.js'
import { fieldsToEvent } from '../fields.js'
import { changesBack } from './itemStates.js'

/** So many of the latest are told. */
const MOST_VERSIONS = 1000

/**
 * The event after each of its changes, in the order in which they came to this node; at most the latest `MOST_VERSIONS`.
 * Nothing of what is not here, was deleted, or is no document. What is written while this pauses is not looked at.
 * @throws Failure `corrupted-data`
 */
export async function eventVersions(account: Account, id: string, pause: Pause): Promise<Event[]> {
  const versions: Event[] = []
  for (const fields of fieldsAfterEach(await changesOfEvent(account, id, pause))) {
    versions.push(fieldsToEvent(id, fields))
    if (versions.length > 2 * MOST_VERSIONS) versions.splice(0, MOST_VERSIONS)
    await pause()
  }
  return versions.slice(-MOST_VERSIONS)
}

/** The changes of an event as they are at one moment, oldest first: others may change the event, or delete it, at each pause. */
async function changesOfEvent({ db, prefix }: Account, id: string, pause: Pause): Promise<Uint8Array[]> {
  const moment = momentOf(db)
  const changes: Uint8Array[] = []
  try {
    for (const change of changesBack(moment.db, prefix, { kind: 'event', id })) {
      changes.push(change)
      await pause()
    }
  } finally {
    await moment.close()
  }
  return changes.reverse()
}
