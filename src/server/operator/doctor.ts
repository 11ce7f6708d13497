/** What the running node alone knows of its health. */
import { readFile } from 'node:fs/promises'
import { listDue } from '../../store/consentTasks.js'
import { isDecided } from '../../store/model/accessRequest.js'
import { listUsernames } from '../../store/users.js'
import { listWebhooks, readRuns } from '../../store/webhooks.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../node.js'
import { expectProbe, hasCome } from '../probes.js'

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
      ignoredProxies: node.proxies.ignored(),
      openFiles: await openFiles(),
    }
  },
  'doctor.expect': (node) => ({ nonce: expectProbe(node) }),
  'doctor.came': (node, { nonce }) => ({ came: typeof nonce === 'string' && hasCome(node, nonce) }),
}

/** Webhooks that failed too often and are not called any more. */
async function stoppedWebhooks({ store: { db } }: Node): Promise<{ user: string; id: string; host: string }[]> {
  const stopped = []
  for (const { username, account } of await listUsernames(db)) {
    for (const { id, url } of await listWebhooks({ db, prefix: account })) {
      if (readRuns(db, account, id).isStopped === true) stopped.push({ user: username, id, host: new URL(url).host })
    }
  }
  return stopped
}

async function dueMessages({ store: { db } }: Node): Promise<number> {
  let due = 0
  for await (const _ of listDue(db)) due += 1
  return due
}

/** How many files this process may have open; null where the system does not tell. */
async function openFiles(): Promise<{ limit: number | null }> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return { limit: limit === undefined ? null : Number(limit) }
}
