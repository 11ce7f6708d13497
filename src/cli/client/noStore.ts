/** Error of commands for a home without a store. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../framework/exit.js'

/** Marker of an interrupted repair whose store is ready but not yet in place (server/maintenance/repair/workspace.ts). */
const REPAIRED = join('store.mended', 'ready')

/** Creates the error. `init` and `repair` are the commands to create a store, or to finish an interrupted repair. */
export function noStore(home: string, { init, repair }: { init: string; repair: string }, cause?: unknown): CommandError {
  const about = cause === undefined ? {} : { cause }
  return existsSync(join(home, REPAIRED))
    ? new CommandError('A repair of the store was interrupted before the repaired store was moved into place.', { exit: 13, hint: `Finish it: ${repair}`, ...about })
    : new CommandError(`There is no store in ${home}.`, { exit: 10, hint: `Create one: ${init}`, ...about })
}
