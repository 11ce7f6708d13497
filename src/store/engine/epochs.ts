/**
 * Epochs: which process wrote which entries of an account's journal. Other nodes remember how far they have read it, and
 * a copy of the store that is restored, or run twice, goes on with other entries under the same sequences. So every
 * process that opens a store has a random id, which is written with the first entry that it adds to an account that has
 * epochs at all; an account has them once a place in its journal was given out.
 *
 * Stored under the sequence of the first entry that the process may have written, as the ids of all processes that began
 * there, parted by spaces: those that added nothing are followed by others at the same sequence.
 */
import type { Database } from './database.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, under } from './keys.js'

/** How many processes are kept that began at one sequence. */
const MAX_AT_ONCE = 16
const PAGE = 1000

/** The process that began last; undefined when the account has no epochs. */
export async function latestEpoch(db: Database, account: string): Promise<string | undefined> {
  const source = db.values(under(accountKeys.epochs(account)), { reverse: true, limit: 1 })
  const [ids] = await source.next(1)
  await source.close()
  return ids?.split(' ').at(-1)
}

/** The text under a sequence once another process begins there. */
export function withEpoch(text: string | undefined, epoch: string): string {
  const ids = text === undefined ? [] : text.split(' ')
  return [...ids, epoch].slice(-MAX_AT_ONCE).join(' ')
}

/** A process, and the first entry that is not its own; none for the latest. */
export interface Epoch {
  id: string
  until?: number
}

/** All epochs of an account, earliest first. */
export async function readEpochs(db: Database, account: string): Promise<Epoch[]> {
  const epochs: Epoch[] = []
  const source = db.entries(under(accountKeys.epochs(account)))
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      for (const [key, text] of page) {
        const from = orderedToNumber(key, key.length - ORDERED_LENGTH)
        for (const id of text.split(' ')) {
          const last = epochs.at(-1)
          if (last !== undefined) last.until = from
          epochs.push({ id })
        }
      }
    }
    return epochs
  } finally {
    await source.close()
  }
}
