/** Operator methods for the status of the node. */
import { statfs } from 'node:fs/promises'
import { listUsernames } from '../../../store/accounts/users.js'
import type { NodeMethod } from '../control.js'
import { directorySize } from '../../base/directorySize.js'
import { productVersion } from '../../version.js'

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
      opened: node.openedAt,
      uptimeSeconds: process.uptime(),
      disk: { storeBytes: await directorySize(node.store.folder), freeBytes: bavail * bsize },
      lastMinute: node.requestStats.read(),
      certificate: (await node.certificates.list())[0] ?? null,
      peers: await node.sync.peers.statuses(),
    }
  },
}
