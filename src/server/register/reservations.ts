/**
 * Reservations: names kept for one user name to come, for a while (accounts supplement 15). They are given by
 * POST /system/users/validate, honoured where names are claimed (names.ts), and used up by the claim.
 */
import { NamesTaken, type Name } from '../../sync/registry/port.js'
import type { Node } from '../node.js'

const FAMILY = 'reservation'
/** How long a reservation stands. */
const LIFE_SECONDS = 600

interface Reservation {
  /** Who may claim the name. */
  username: string
}

/** Values of fields, such as e-mail addresses, are not kept in clear. */
function idOf({ store }: Node, { field, value }: Name): string {
  return store.seal.digest(`reservation/${field}/${field === 'email' ? value.trim().toLowerCase() : value}`)
}

async function holderOf(node: Node, name: Name): Promise<string | undefined> {
  const found = (await node.registry.records.get(FAMILY, idOf(node, name))) as Reservation | undefined
  return found?.username
}

/** Checks whether a name is reserved for a registration to come, by whomever. */
export const isReserved = async (node: Node, name: Name): Promise<boolean> => (await holderOf(node, name)) !== undefined

/**
 * Keeps names for a user name. Of simultaneous reservations of one name exactly one succeeds.
 * @throws NamesTaken when one is in use, being claimed, or reserved already
 */
export function reserve(node: Node, username: string, names: readonly Name[]): Promise<void> {
  // Held like names that are claimed, they are free for as long as this takes.
  return node.registry.transfer({ take: names }, async () => {
    const holders = await Promise.all(names.map((name) => holderOf(node, name)))
    const taken = names.filter((_, at) => holders[at] !== undefined)
    if (taken.length > 0) throw new NamesTaken(taken)
    const expires = node.clock.now() + LIFE_SECONDS
    await Promise.all(names.map((name) => put(node, name, { username }, expires)))
  })
}

/**
 * Those of the names to be claimed that are reserved for whoever claims them.
 * @throws NamesTaken when one is reserved for somebody else
 */
export async function ownReservations(node: Node, names: readonly Name[]): Promise<Name[]> {
  const claimant = names.find(({ field }) => field === 'username')?.value
  const holders = await Promise.all(names.map((name) => holderOf(node, name)))
  const foreign = names.filter((_, at) => holders[at] !== undefined && holders[at] !== claimant)
  if (foreign.length > 0) throw new NamesTaken(foreign)
  return names.filter((_, at) => holders[at] !== undefined)
}

/** Gives reservations up; one that stays after a failure of the disk ends by itself. */
export async function endReservations(node: Node, names: readonly Name[]): Promise<void> {
  await Promise.all(names.map((name) => put(node, name, null))).catch(() => {})
}

function put(node: Node, name: Name, reservation: Reservation | null, expires?: number): Promise<void> {
  const step = { put: reservation, result: undefined, ...(expires === undefined ? {} : { expires }) }
  return node.registry.records.change(FAMILY, idOf(node, name), () => step)
}
