/** Checks of a node's folder before it is used. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from '../framework/exit.js'
import type { Environment } from '../framework/paths.js'

/** Marker of an interrupted repair whose store is ready but not yet in place (server/maintenance/repair/workspace.ts). */
const REPAIR_READY = join('store.mended', 'ready')

/** Resolves a folder typed into a screen, where no shell expands `~`. */
export function typedFolder(typed: string, env: Environment): string {
  const home = env['HOME']
  const isBelow = typed === '~' || typed.startsWith('~/')
  return resolve(home !== undefined && home !== '' && isBelow ? join(home, typed.slice(1)) : typed)
}

/**
 * Checks that an existing home is accessible, so that inaccessible files do not count as missing.
 * @throws CommandError 4
 */
export function assertHomeAccessible(home: string): void {
  try {
    accessSync(home, constants.R_OK | constants.X_OK)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EACCES')) return
    throw new CommandError(`Permission denied: ${home}`, {
      exit: 4,
      cause,
      hint: 'Run the command as the owner of the folder, or pass another one with --home.',
    })
  }
}

/**
 * Creates the error of commands for a home without a store.
 * @param next commands to create a store (`init`) and to finish an interrupted repair (`repair`)
 */
export function noStore(home: string, next: { init: string; repair: string }, cause?: unknown): CommandError {
  const options = cause === undefined ? {} : { cause }
  return existsSync(join(home, REPAIR_READY))
    ? new CommandError('A repair of the store was interrupted before the repaired store was moved into place.', { exit: 13, hint: `Finish it: ${next.repair}`, ...options })
    : new CommandError(`There is no store in ${home}.`, { exit: 10, hint: `Create one: ${next.init}`, ...options })
}

/** Returns why no node can be created in a folder; undefined when one can. */
export function folderProblem(folder: string): string | undefined {
  if (existsSync(join(folder, 'store'))) return 'There is already a node in this folder.'
  const existing = nearestExisting(folder)
  if (!statSync(existing).isDirectory()) return `${existing} is not a folder.`
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `Permission denied: ${existing} is not writable.`
  }
}

/** Returns the free bytes on the disk of a folder, existing or not. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(nearestExisting(folder))
  return bavail * bsize
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}
