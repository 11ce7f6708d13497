/** Result of the latest check of a store, for the lifetime of the process: only another process repairs a closed store. */
import type { Database } from '../../../store/engine/database.js'

interface FoundDamage {
  /** Number of problems. */
  found: number
  /** Time of the check, in seconds. */
  at: number
}

const damages = new WeakMap<Database, FoundDamage>()

/** Records the result of a check. A partial check without problems does not clear earlier ones. */
export function noteCheck(db: Database, { found }: { found: number }, { at, isWhole }: { at: number; isWhole: boolean }): void {
  if (found > 0) damages.set(db, { found, at })
  else if (isWhole) damages.delete(db)
}

/** Returns the damage found and not known to be repaired. */
export const damageOf = (db: Database): FoundDamage | undefined => damages.get(db)
