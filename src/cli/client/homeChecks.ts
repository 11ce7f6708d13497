/** Looking at the folder of a node before anything is done in it. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from '../framework/exit.js'
import type { Environment } from '../framework/paths.js'

/** A folder as a person types it into a screen, where no shell has read the `~`. */
export function typedFolder(typed: string, env: Environment): string {
  const home = env['HOME']
  const isBelow = typed === '~' || typed.startsWith('~/')
  return resolve(home !== undefined && home !== '' && isBelow ? join(home, typed.slice(1)) : typed)
}

/**
 * Refuses a home that exists but is closed to this user: what is not seen must not pass for what is not there.
 * @throws CommandError 4.
 */
export function assertHomeOpen(home: string): void {
  try {
    accessSync(home, constants.R_OK | constants.X_OK)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EACCES')) return
    throw new CommandError(`You may not look into ${home}.`, {
      exit: 4,
      cause,
      hint: 'Do it as the owner of the folder, or name another one with --home.',
    })
  }
}

/** Why no node can be made in a folder; undefined when one can. */
export function placeProblem(folder: string): string | undefined {
  if (existsSync(join(folder, 'store'))) return 'There is already a node in this folder.'
  const there = nearestExisting(folder)
  if (!statSync(there).isDirectory()) return `${there} is not a folder.`
  try {
    accessSync(there, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `You may not write in ${there}.`
  }
}

/** Bytes that are free where a folder is or is going to be. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(nearestExisting(folder))
  return bavail * bsize
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}
