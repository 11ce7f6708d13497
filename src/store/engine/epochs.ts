/**
 * Epochs: which process wrote which entries of an account's journal. Other nodes store their position in the journal,
 * and a restored or duplicated store would continue with other entries under the same sequences. So every process that
 * opens a store has a random id. The id is written with the first entry it adds to an account that has epochs; an
 * account has them once a journal position was handed out.
 *
 * Stored under the sequence of the first entry that the process may have written, as the ids of all processes that
 * began there, separated by spaces: a process that added nothing shares its sequence with the next.
 */
import type { Database } from './database.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, under } from './keys.js'

/** Maximum number of processes stored per sequence. */
const MAX_AT_ONCE = 16
const PAGE = 1000

/** Returns the id of the process that began last; undefined when the account has no epochs. */
export async function latestEpoch(db: Database, account: string): Promise<string | undefined> {
  const source = db.values(under(accountKeys.epochs(account)), { reverse: true, limit: 1 })
  const [ids] = await source.next(1)
  await source.close()
  return ids?.split(' ').at(-1)
}

/** Returns the stored text of a sequence after another process begins there. */
export function withEpoch(text: string | undefined, epoch: string): string {
  const ids = text === undefined ? [] : text.split(' ')
  return [...ids, epoch].slice(-MAX_AT_ONCE).join(' ')
}

/** A process, and the first entry after its own; absent for the latest. */
export interface Epoch {
  id: string
  until?: number
}

/** Returns all epochs of an account, earliest first. */
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
