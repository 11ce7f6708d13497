/** Reads the devices of the shown account, their pairings and their conflicts, by the methods of devices. */
import type { OutputOf } from '../../../call/method.js'
import { conflicts } from '../../../api/devices/conflicts.js'
import { get } from '../../../api/devices/get.js'
import { history } from '../../../api/devices/history.js'
import { pairings } from '../../../api/devices/pairings.js'
import { readAsOwner } from '../../session.js'
import type { ConsoleVisit } from '../consolePage.js'

export const DEVICES_PATH = '/devices'
export const DEVICE_PATH = '/devices/one'
export const REMOVE_PATH = '/devices/remove'
export const PAIR_PATH = '/devices/pair'
export const PAIRING_PATH = '/devices/pairing'
export const CONFLICTS_PATH = '/devices/conflicts'

/** Maximum number of conflicts that their page reads. */
export const MAX_CONFLICTS = 100
/** Number of contacts that the page of a device shows. */
const MAX_CONTACTS = 20

export type Devices = OutputOf<typeof get>
export type Device = Devices['devices'][number]
export type Pairing = OutputOf<typeof pairings>['pairings'][number]
export type ConflictList = OutputOf<typeof conflicts>
export type Conflict = ConflictList['conflicts'][number]
export type Contact = OutputOf<typeof history>['contacts'][number]

export const loadDevices = async (visit: ConsoleVisit): Promise<Devices> => (await readAsOwner(visit, visit.session, get, {})) as Devices

/** Loads a device by its id. */
export async function loadDevice(visit: ConsoleVisit, id: string | null): Promise<Device | undefined> {
  return (await loadDevices(visit)).devices.find((device) => device.id === id)
}

/** Loads the latest contacts with a device. */
export async function loadContacts(visit: ConsoleVisit, id: string): Promise<Contact[]> {
  const { contacts } = (await readAsOwner(visit, visit.session, history, { id, limit: MAX_CONTACTS })) as { contacts: Contact[] }
  return contacts
}

/** Loads conflicts, refused items and repaired streams, at most `limit` of each. */
export const loadConflicts = async (visit: ConsoleVisit, limit = MAX_CONFLICTS): Promise<ConflictList> =>
  (await readAsOwner(visit, visit.session, conflicts, { limit })) as ConflictList

/** Lists the pairings of the account; empty for delegates, who cannot pair devices. */
export async function loadPairings(visit: ConsoleVisit): Promise<Pairing[]> {
  if (!isOwner(visit)) return []
  const found = (await readAsOwner(visit, visit.session, pairings, {})) as { pairings: Pairing[] }
  return found.pairings
}

export const isPending = ({ state }: Pick<Pairing, 'state'>): boolean => state === 'offered' || state === 'met'

/** Checks whether the account shown is that of the signed-in person: only its owner pairs, pauses and removes devices. */
export const isOwner = ({ session, person }: ConsoleVisit): boolean => session.user.username === person.user.username
