/** A home without a store, as commands tell it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../framework/exit.js'

/** What a repair leaves in a home when its store is ready and has not got its place (server/maintenance/repair/workspace.ts). */
const REPAIRED = join('store.mended', 'ready')

/** `init` and `repair` are the commands that make one, or finish a repair that was interrupted. */
export function noStore(home: string, { init, repair }: { init: string; repair: string }, cause?: unknown): CommandError {
  const about = cause === undefined ? {} : { cause }
  return existsSync(join(home, REPAIRED))
    ? new CommandError('A repair of the store was interrupted before the mended store got its place.', { exit: 13, hint: `Finish it: ${repair}`, ...about })
    : new CommandError(`There is no store in ${home}.`, { exit: 10, hint: `Make one: ${init}`, ...about })
}
