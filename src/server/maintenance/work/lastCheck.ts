/** What the latest check of a store found, for as long as the process lives: a closed store is mended by another. */
import type { Database } from '../../../store/engine/database.js'
import type { Result } from '../../method.js'

export interface FoundDamage {
  /** How many problems. */
  found: number
  /** When, in seconds. */
  at: number
}

const damages = new WeakMap<Database, FoundDamage>()

/** Notes what came of a check; one of a part that finds nothing says nothing of the rest. */
export function noteCheck(db: Database, { found }: Result, { at, isWhole }: { at: number; isWhole: boolean }): void {
  if (typeof found === 'number' && found > 0) damages.set(db, { found, at })
  else if (isWhole) damages.delete(db)
}

/** The damage that was found and is not known to be gone. */
export const damageOf = (db: Database): FoundDamage | undefined => damages.get(db)
