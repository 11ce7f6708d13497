/**
 * Temporary reservations of names for a future user name (docs/interface/system.md#accounts). Created by POST
 * /system/users/validate, respected by claims (names.ts), and consumed by the matching claim.
 */
import { NamesTaken, type Name } from '../../platform/registry/port.js'
import type { Context } from '../../call/context.js'

const FAMILY = 'reservation'
/** Lifetime of a reservation, in seconds. */
const LIFE_SECONDS = 600

interface Reservation {
  /** User name that may claim the name. */
  username: string
  /** Id of the core of the future account, if it was chosen. */
  core?: string
}

/** Field values, such as e-mail addresses, are stored as keyed hashes only. */
function idOf({ registry }: Context, { field, value }: Name): string {
  return registry.platformSeal.digest(`reservation/${field}/${field === 'email' ? value.trim().toLowerCase() : value}`)
}

const reservationOf = async (node: Context, name: Name): Promise<Reservation | undefined> =>
  (await node.registry.records.get(FAMILY, idOf(node, name))) as Reservation | undefined

const holderOf = async (node: Context, name: Name): Promise<string | undefined> => (await reservationOf(node, name))?.username

/** Returns the id of the core that is reserved for an account with a user name; undefined when none is. */
export const reservedCore = async (node: Context, username: string): Promise<string | undefined> =>
  (await reservationOf(node, { field: 'username', value: username }))?.core

/** Checks whether a name is reserved for any future registration. */
export const isReserved = async (node: Context, name: Name): Promise<boolean> => (await holderOf(node, name)) !== undefined

/**
 * Reserves names for a user name, and the core of its account if it is given. Exactly one of several simultaneous reservations of
 * a name succeeds.
 * @throws NamesTaken when one is in use, being claimed, or already reserved
 */
export function reserve(node: Context, reservation: Reservation, names: readonly Name[]): Promise<void> {
  // Held names cannot be taken, so that they stay free meanwhile.
  return node.registry.hold(names, async () => {
    const holders = await Promise.all(names.map((name) => holderOf(node, name)))
    const usedNames = names.filter((_, at) => holders[at] !== undefined)
    if (usedNames.length > 0) throw new NamesTaken(usedNames)
    const expires = node.clock.now() + LIFE_SECONDS
    await Promise.all(names.map((name) => saveReservation(node, name, reservation, expires)))
  })
}

/**
 * Returns the names to be claimed that are reserved for the claiming user name.
 * @throws NamesTaken when one is reserved for another
 */
export async function ownReservations(node: Context, names: readonly Name[]): Promise<Name[]> {
  const claimant = names.find(({ field }) => field === 'username')?.value
  const holders = await Promise.all(names.map((name) => holderOf(node, name)))
  const foreign = names.filter((_, at) => holders[at] !== undefined && holders[at] !== claimant)
  if (foreign.length > 0) throw new NamesTaken(foreign)
  return names.filter((_, at) => holders[at] !== undefined)
}

/** Ends reservations; one that remains after a disk failure expires by itself. */
export async function endReservations(node: Context, names: readonly Name[]): Promise<void> {
  await Promise.all(names.map((name) => saveReservation(node, name, null))).catch(() => {})
}

function saveReservation(node: Context, name: Name, reservation: Reservation | null, expires?: number): Promise<void> {
  const step = { put: reservation, result: undefined, ...(expires === undefined ? {} : { expires }) }
  return node.registry.records.change(FAMILY, idOf(node, name), () => step)
}
