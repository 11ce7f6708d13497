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
}

/** Field values, such as e-mail addresses, are stored as keyed hashes only. */
function idOf({ registry }: Context, { field, value }: Name): string {
  return registry.platformSeal.digest(`reservation/${field}/${field === 'email' ? value.trim().toLowerCase() : value}`)
}

async function holderOf(node: Context, name: Name): Promise<string | undefined> {
  const found = (await node.registry.records.get(FAMILY, idOf(node, name))) as Reservation | undefined
  return found?.username
}

/** Checks whether a name is reserved for any future registration. */
export const isReserved = async (node: Context, name: Name): Promise<boolean> => (await holderOf(node, name)) !== undefined

/**
 * Reserves names for a user name. Exactly one of several simultaneous reservations of a name succeeds.
 * @throws NamesTaken when one is in use, being claimed, or already reserved
 */
export function reserve(node: Context, username: string, names: readonly Name[]): Promise<void> {
  // Nobody takes a held name, so that the names are free meanwhile.
  return node.registry.hold(names, async () => {
    const holders = await Promise.all(names.map((name) => holderOf(node, name)))
    const usedNames = names.filter((_, at) => holders[at] !== undefined)
    if (usedNames.length > 0) throw new NamesTaken(usedNames)
    const expires = node.clock.now() + LIFE_SECONDS
    await Promise.all(names.map((name) => saveReservation(node, name, { username }, expires)))
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
