/** Checks of a node's folder before it is used. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from '../framework/exit.js'
import type { Environment } from '../framework/paths.js'

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
export function assertHomeOpen(home: string): void {
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

/** Returns why no node can be created in a folder; undefined when one can. */
export function placeProblem(folder: string): string | undefined {
  if (existsSync(join(folder, 'store'))) return 'There is already a node in this folder.'
  const there = nearestExisting(folder)
  if (!statSync(there).isDirectory()) return `${there} is not a folder.`
  try {
    accessSync(there, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `Permission denied: ${there} is not writable.`
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
