/** Which records a check looks at when it is not to look at all. */
import { each, type Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Yielder } from '../engine/yield.js'

export interface Sample {
  /** Most records to look at. */
  size: number
  /** A number from 0 up to 1, for the choice. */
  random(): number
}

/** Records proper; everything else in an account follows from them. */
const rangesOf = (account: string): string[] => [
  accountKeys.events(account),
  accountKeys.streams(account),
  accountKeys.accesses(account),
  accountKeys.profile(account, ''),
  accountKeys.fileReferences(account),
]

/** Keys of records of these accounts, each record with the same chance: one pass over the keys alone. */
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
