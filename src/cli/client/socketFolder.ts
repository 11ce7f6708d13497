/**
 * Folder of a socket whose path is too long for the home. Others may write to its parent, so it is trusted only when it
 * has the same owner as the home and no access for others.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../framework/exit.js'
import type { Paths } from '../framework/paths.js'

/**
 * Creates the folder for the node's socket.
 * @throws CommandError 4 when the folder belongs to another user
 */
export function ensureSocketFolder({ home, socket }: Pick<Paths, 'home' | 'socket'>): void {
  const folder = dirname(socket)
  if (folder === home) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (lstatSync(folder).uid === statSync(home).uid && lstatSync(folder).isDirectory()) chmodSync(folder, 0o700)
  if (!isOwn(folder, home)) {
    throw new CommandError(`The folder ${folder} belongs to another user.`, {
      exit: 4,
      hint: 'Remove it, or use a home with a shorter path.',
    })
  }
}

/** Lists the existing, trusted sockets, most likely first. */
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
