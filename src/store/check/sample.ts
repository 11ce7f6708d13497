/** Random sample of records for a partial check. */
import { each, type Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Yielder } from '../engine/yield.js'

export interface Sample {
  /** Maximum number of records. */
  size: number
  /** Returns a random number from 0 up to 1, exclusive. */
  random(): number
}

/** Ranges of primary records; all other entries of an account follow from them. */
const rangesOf = (account: string): string[] => [
  accountKeys.events(account),
  accountKeys.streams(account),
  accountKeys.accesses(account),
  accountKeys.profile(account, ''),
  accountKeys.fileReferences(account),
]

/** Returns the keys of a uniform sample of records of these accounts, in one pass over the keys. */
export async function sampledKeys(
  db: Database,
  accounts: readonly string[],
  { size, random }: Sample,
  pause: Yielder,
): Promise<string[]> {
  const chosen: string[] = []
  let seen = 0
  for (const range of accounts.flatMap(rangesOf)) {
    for await (const key of each(db.keys(under(range)))) {
      seen += 1
      const place = seen <= size ? seen - 1 : Math.floor(random() * seen)
      if (place < size) chosen[place] = key
      const turn = pause()
      if (turn !== undefined) await turn
    }
  }
  return chosen.sort()
}
