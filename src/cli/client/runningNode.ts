/** Connects to the running node of a home. Apart from connect.ts, because completion loads it in a few milliseconds. */
import type { Paths } from '../framework/paths.js'
import type { NodeClient } from './nodeClient.js'
import { trustedSockets } from './socketFolder.js'

/** Returns the client of the running node of a home; undefined when it is not running. */
export async function runningNode(paths: Paths, timeoutMs?: number): Promise<NodeClient | undefined> {
  for (const socket of trustedSockets(paths)) {
    const { openSocket } = await import('./socket.js')
    const client = await openSocket(socket, timeoutMs)
    if (client !== undefined) return client
  }
  return undefined
}
