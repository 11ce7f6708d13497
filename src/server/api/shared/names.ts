/** Claims of unique names, with failures that list every value in use. */
import type { Transaction } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import { NamesTaken, type Name, type Transfer } from '../../platform/registry/port.js'
import type { Context } from '../../call/context.js'
import { endReservations, ownReservations } from './reservations.js'

/**
 * Calls `Registry.transfer` and converts its rejection to the API failure. Rejects names reserved for another user name.
 * @throws Failure `item-already-exists`, with each value in use by field name in its data
 */
export async function claiming<T>(
  node: Context,
  input: Transfer,
  work: (enter: (t: Transaction) => void) => Promise<T>,
): Promise<T> {
  try {
    return await node.registry.transfer(input, async (enter) => {
      const reserved = await ownReservations(node, input.take ?? [])
      const result = await work(enter)
      await endReservations(node, reserved)
      return result
    })
  } catch (error) {
    throw error instanceof NamesTaken ? takenFailure(error.names) : error
  }
}

/**
 * Checks that names are free.
 * @throws Failure `item-already-exists` with all names in use
 */
export async function assertNamesFree(node: Context, names: readonly Name[]): Promise<void> {
  const holders = await Promise.all(names.map((name) => node.registry.lookUp(name)))
  const usedNames = names.filter((_, at) => holders[at] !== undefined)
  if (usedNames.length > 0) throw takenFailure(usedNames)
}

/** Returns the failure for names in use, listing all of them. */
export function takenFailure(names: readonly Name[]): Failure {
  const data = Object.fromEntries(names.map(({ field, value }) => [field, value]))
  return new Failure('item-already-exists', `Already in use: ${Object.keys(data).join(', ')}.`, data)
}
