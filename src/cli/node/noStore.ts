/** A home without a store, as commands tell it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../exit.js'

/** The folder, in a home, of a store that is being mended (server/repair/place.ts). */
const MENDED = 'store.mended'

/** `init` and `repair` are the commands that make one, or finish a repair that was interrupted. */
export function noStore(home: string, { init, repair }: { init: string; repair: string }, cause?: unknown): CommandError {
  const about = cause === undefined ? {} : { cause }
  return existsSync(join(home, MENDED))
    ? new CommandError('A repair of the store was interrupted before the mended store got its place.', { exit: 13, hint: `Finish it: ${repair}`, ...about })
    : new CommandError(`There is no store in ${home}.`, { exit: 10, hint: `Make one: ${init}`, ...about })
}
