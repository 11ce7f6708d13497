/** Claiming unique names: what the registry refuses is answered with every value that is in use. */
import type { Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { NamesTaken, type Name, type Transfer } from '../../sync/registry/port.js'
import type { Node } from '../node.js'
import { endReservations, ownReservations } from './reservations.js'

/**
 * `Registry.transfer`, its refusal being the one that clients know. What is reserved for another user name is refused.
 * @throws Failure `item-already-exists`, its data each value in use by the name of its field
 */
export async function claiming<T>(
  node: Node,
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

/** Refuses names that are in use now; all of them are named. */
export async function assertNamesFree(node: Node, names: readonly Name[]): Promise<void> {
  const holders = await Promise.all(names.map((name) => node.registry.lookUp(name)))
  const taken = names.filter((_, at) => holders[at] !== undefined)
  if (taken.length > 0) throw takenFailure(taken)
}

/** The refusal of names that are in use: all of them are named. */
export function takenFailure(names: readonly Name[]): Failure {
  const data = Object.fromEntries(names.map(({ field, value }) => [field, value]))
  return new Failure('item-already-exists', `Already in use: ${Object.keys(data).join(', ')}.`, data)
}
