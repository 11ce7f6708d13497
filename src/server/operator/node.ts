/** What the operator can ask of the node itself. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { listUsernames } from '../../store/users.js'
import type { NodeMethod } from '../control.js'
import { productVersion } from '../version.js'

/** The bytes of all files in a folder. */
async function folderBytes(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = found.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => {
    // The store's files come and go while it runs.
    const file = await stat(join(parentPath, name)).catch(() => undefined)
    return file?.size ?? 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

export const statusMethods: Readonly<Record<string, NodeMethod>> = {
  async 'node.status'(node) {
    const names = await listUsernames(node.store.db)
    const { bavail, bsize } = await statfs(node.store.folder)
    return {
      running: true,
      url: `${node.publicBase()}/`,
      pid: process.pid,
      version: productVersion(),
      apiVersion: node.apiVersion,
      state: node.store.state,
      commits: node.store.commits,
      accounts: names.length,
      memoryBytes: process.memoryUsage.rss(),
      uptimeSeconds: process.uptime(),
      disk: { storeBytes: await folderBytes(node.store.folder), freeBytes: bavail * bsize },
      peers: await node.sync.peers.statuses(),
    }
  },
}
