/** Operator methods for the status of the node. */
import { statfs } from 'node:fs/promises'
import * as z from 'zod'
import { listUsernames } from '../../../store/accounts/users.js'
import { directorySize } from '../../base/directorySize.js'
import { CertificateView } from '../../api/system/certs.js'
import { productVersion } from '../../base/version.js'
import { operatorMethod } from '../operatorMethod.js'
import { PeerView } from '../../sync/views.js'

export const StoreState = z.enum(['writable', 'full', 'read-only']).describe('State of the store.')

const status = operatorMethod({
  id: 'node.status',
  summary: 'Returns the status of the node.',
  input: z.strictObject({}),
  output: () => z.object({
    running: z.literal(true).describe('Always true.'),
    url: z.string().describe('Address of the node.'),
    pid: z.number().describe('Process id.'),
    version: z.string().describe('Version of the product.'),
    apiVersion: z.string().describe('Version of the API.'),
    state: StoreState,
    commits: z.number().describe('Number of commits.'),
    accounts: z.number().describe('Number of accounts.'),
    memoryBytes: z.number().describe('Memory of the process in bytes.'),
    opened: z.number().describe('Time of the start, in seconds since 1970.'),
    uptimeSeconds: z.number().describe('Seconds since the start of the process.'),
    disk: z.object({
      storeBytes: z.number().describe('Size of the store in bytes.'),
      freeBytes: z.number().describe('Free space in bytes.'),
    }).describe('Disk space.'),
    lastMinute: z.object({
      calls: z.number().describe('Number of calls.'),
      failed: z.number().describe('Calls answered with 5xx.'),
      refused: z.number().describe('Calls answered with 4xx.'),
      p50: z.number().nullable().describe('Median of the duration in milliseconds; null without calls.'),
      p99: z.number().nullable().describe('99th percentile of the duration in milliseconds; null without calls.'),
    }).describe('HTTP calls of the last minute.'),
    certificate: CertificateView.nullable().describe('Certificate of the node; null for none.'),
    peers: z.array(PeerView).describe('Sync peers of all accounts.'),
  }),
  fails: [],
  async run({ node }) {
    const names = await listUsernames(node.store.db)
    const { bavail, bsize } = await statfs(node.store.folder)
    return {
      running: true as const,
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
})

export const statusMethods = [status] as const
