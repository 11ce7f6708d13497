/** The control interface on a Unix socket that only the node's owner can open. See control.ts for the rights of calls. */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import type { NodeControl } from './control.js'
import { controlRequests } from './controlRequests.js'
import type { Node } from '../index.js'

const PREFIX = '/control/'

export interface ControlSocket {
  stop(): Promise<void>
}

/** Listens on `path`, replacing the stale socket of a crashed node. */
export async function listenControl(node: Node, control: NodeControl, path: string): Promise<ControlSocket> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await rm(path, { force: true })
  const handle = controlRequests(node, control)
  const server = createServer((request, response) => {
    const { url = '' } = request
    void handle(request, response, url.startsWith(PREFIX) ? url.slice(PREFIX.length) : '', {})
  })
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } finally {
    process.umask(before)
  }
  await chmod(path, 0o600)
  return {
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await rm(path, { force: true })
    },
  }
}
