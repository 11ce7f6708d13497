/** Health data that only the running node has. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { listTasks } from '../../../store/accesses/consentTasks.js'
import { isDecided } from '../../../store/model/accessRequest.js'
import type { Node } from '../../index.js'
import { issueNonce, hasArrived } from '../../httpClient/reachabilityProbe.js'
import { CertificateView } from '../../api/system/certs.js'
import { stoppedWebhooks } from '../../webhooks/stopped.js'
import { operatorMethod } from '../operatorMethod.js'
import { StoppedWebhookView } from './attention.js'
import { CertificateFault } from './certs.js'
import { StoreState } from './node.js'
import { PeerView } from '../../sync/views.js'

const CertificateState = z.object({
  certificate: CertificateView.extend({
    names: z.array(z.string()).describe('Host names that it covers.'),
    coversAddress: z.boolean().describe('true when it covers the address of the node.'),
  }).nullable().describe('The served certificate; null for none that clients trust.'),
  problem: z.object({
    fault: CertificateFault.describe('Kind of the problem.'),
    message: z.string().describe('The problem in words.'),
    setting: z.string().optional().describe('Setting to change.'),
    file: z.string().optional().describe('File with the problem.'),
  }).nullable().describe('Reason why the certificate cannot be used; null for none.'),
  files: z.object({ certFile: z.string().describe('Path of the certificate.'), keyFile: z.string().describe('Path of its key.') }).optional().describe('Files of the certificate; absent when an authority issues it.'),
  isKeyOpen: z.boolean().describe('true when others than the owner can read the key file.'),
})

const facts = operatorMethod({
  id: 'doctor.facts',
  summary: 'Returns health data that only the running node has.',
  localCommand: 'coffer doctor',
  input: z.strictObject({}),
  output: () => z.object({
    time: z.number().describe('Time of the node, in seconds since 1970.'),
    state: StoreState,
    base: z.string().describe('Address of the node, without a final slash.'),
    nodeVersion: z.string().describe('Version of Node.js.'),
    peers: z.array(PeerView).describe('Sync peers of all accounts.'),
    stoppedWebhooks: z.array(StoppedWebhookView).describe('Webhooks that stopped after failures.'),
    requests: z.number().describe('Number of pending access requests.'),
    messagesDue: z.number().describe('Number of undelivered messages to other accounts.'),
    certificate: CertificateState.nullable().describe('State of the certificate; null when the node does not serve HTTPS.'),
    ignoredProxies: z.array(z.object({ address: z.string().describe('Address.'), times: z.number().describe('Number of times.') }))
      .describe('Untrusted addresses whose forwarding headers were ignored.'),
    openFiles: z.object({ limit: z.number().nullable().describe('Maximum number of open files; null when unknown.') }).describe('Limits of the process.'),
  }),
  fails: [],
  run: async ({ node }) => ({
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
  }),
})

const expect = operatorMethod({
  id: 'doctor.expect',
  summary: 'Issues a number for a request that tests the address of the node.',
  localCommand: 'coffer doctor',
  input: z.strictObject({}),
  output: () => z.object({ nonce: z.string().describe('The number to send.') }),
  fails: [],
  run: ({ node }) => ({ nonce: issueNonce(node) }),
})

const came = operatorMethod({
  id: 'doctor.came',
  summary: 'Checks whether a test request has arrived.',
  localCommand: 'coffer doctor',
  input: z.strictObject({ nonce: z.string().describe('Number of the request.') }),
  output: () => z.object({ came: z.boolean().describe('true when it has arrived.') }),
  fails: [],
  run: ({ node }, { nonce }) => ({ came: hasArrived(node, nonce) }),
})

export const doctorMethods = [facts, expect, came] as const

async function dueMessages({ store: { db } }: Node): Promise<number> {
  let due = 0
  for await (const _ of listTasks(db)) due += 1
  return due
}

/** Returns the maximum number of open files of this process; null when the system does not report it. */
async function openFiles(): Promise<{ limit: number | null }> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return { limit: limit === undefined ? null : Number(limit) }
}
