/**
 * The folder of a socket that does not fit into the home. It stands in a place where others may write, so it counts
 * only when it belongs to whom the home belongs to and nobody else may enter.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../framework/exit.js'
import type { Paths } from '../framework/paths.js'

/**
 * Makes the folder in which the node is going to listen.
 * @throws CommandError 4 when somebody else holds the folder's name.
 */
export function ensureSocketFolder({ home, socket }: Pick<Paths, 'home' | 'socket'>): void {
  const folder = dirname(socket)
  if (folder === home) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (lstatSync(folder).uid === statSync(home).uid && lstatSync(folder).isDirectory()) chmodSync(folder, 0o700)
  if (!isOwn(folder, home)) {
    throw new CommandError(`The folder ${folder} belongs to somebody else.`, {
      exit: 4,
      hint: 'Remove it, or give the node a home with a shorter path.',
    })
  }
}

/** The sockets that exist and can be trusted, likeliest first. */
export function trustedSockets({ home, socketCandidates }: Pick<Paths, 'home' | 'socketCandidates'>): string[] {
  return socketCandidates.filter((socket) => {
    const folder = dirname(socket)
    return existsSync(socket) && (folder === home || isOwn(folder, home))
  })
}

function isOwn(folder: string, home: string): boolean {
  const { uid, mode } = lstatSync(folder)
  return lstatSync(folder).isDirectory() && uid === statSync(home).uid && (mode & 0o077) === 0
}
