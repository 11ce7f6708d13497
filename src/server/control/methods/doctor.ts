/** Health data that only the running node has. */
import { readFile } from 'node:fs/promises'
import { listDue } from '../../../store/accesses/consentTasks.js'
import { isDecided } from '../../../store/model/accessRequest.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../../node.js'
import { issueNonce, wasSeen } from '../../reachabilityProbe.js'
import { stoppedWebhooks } from '../../webhooks/stopped.js'

export const doctorMethods: Readonly<Record<string, NodeMethod>> = {
  async 'doctor.facts'(node) {
    return {
      time: node.clock.now(),
      state: node.store.state,
      base: node.publicBase(),
      nodeVersion: process.version,
      peers: await node.sync.peers.statuses(),
      stoppedWebhooks: await stoppedWebhooks(node),
      requests: node.accessRequests.list().filter((request) => !isDecided(request)).length,
      messagesDue: await dueMessages(node),
      certificate: (await node.certificates.state()) ?? null,
      ignoredProxies: node.proxies.ignored(),
      openFiles: await openFiles(),
    }
  },
  'doctor.expect': (node) => ({ nonce: issueNonce(node) }),
  'doctor.came': (node, { nonce }) => ({ came: typeof nonce === 'string' && wasSeen(node, nonce) }),
}

async function dueMessages({ store: { db } }: Node): Promise<number> {
  let due = 0
  for await (const _ of listDue(db)) due += 1
  return due
}

/** Returns the maximum number of open files of this process; null when the system does not report it. */
async function openFiles(): Promise<{ limit: number | null }> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return { limit: limit === undefined ? null : Number(limit) }
}
