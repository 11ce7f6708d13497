/** Starts, pairs, pauses and resumes two nodes of one account for a benchmark. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openSocket } from '../../src/cli/client/socket.js'
import { startNode, type Server } from './processes.js'

const MAX_MS = 15 * 60_000
const POLL_MS = 5

export const run = promisify(execFile)
export const program = fileURLToPath(new URL('../../bin/coffer.js', import.meta.url))

/** Node with a client of its control socket. */
export interface End {
  home: string
  server: Server
  call(method: string, params: unknown): Promise<Record<string, unknown>>
}

export async function startEnd(home: string, profile?: string): Promise<End> {
  const server = await startNode(home, profile)
  const client = await openSocket(join(home, 'node.sock'))
  if (client === undefined) throw new Error(`the node in ${home} has no control socket`)
  return { home, server, call: async (method, params) => ({ ...(await client.call(method, params, {})) }) }
}

interface PeerState {
  state: string
  inSyncAt?: number
  paired: number
}

export interface Contact {
  began: number
  inSyncAt?: number
  bytesSent: number
  bytesReceived: number
}

export const USER = 'traveller'

async function peerOf(end: End): Promise<PeerState> {
  const { peers } = await end.call('sync.peers', { username: USER })
  const [peer] = peers as PeerState[]
  if (peer === undefined) throw new Error('there is no peer')
  return peer
}

/** Resolves once a node is in sync since a time in seconds; returns the time of that sync. */
export async function inSync(end: End, since: number): Promise<number> {
  const until = performance.now() + MAX_MS
  while (performance.now() < until) {
    const { state, inSyncAt = 0 } = await peerOf(end)
    if (state === 'in-sync' && inSyncAt >= since) return inSyncAt
    await sleep(POLL_MS)
  }
  throw new Error('the nodes did not get in sync')
}

/** Pairs two nodes, the second of which creates the account; returns the time in seconds. */
export async function pair(from: End, to: End): Promise<number> {
  const words = ['sync', 'pair', '--user', USER, '--accept-risk=unconfirmed-peer', '--json', '--home', from.home]
  const offering = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: offering.stdout })
  const [offered] = (await once(lines, 'line')) as [string]
  const { link } = JSON.parse(offered) as { link: string }
  const ended = once(offering, 'exit')
  const accepting = ['sync', 'accept', link, '--user', USER, '--create', '--accept-risk=unconfirmed-peer', '--json']
  await run(process.execPath, [program, ...accepting, '--home', to.home])
  await ended
  return (await peerOf(to)).paired
}

/** Pauses sync; returns the last contact. */
export async function pause(end: End): Promise<Contact> {
  await end.call('sync.pause', { username: USER })
  const { contacts } = await end.call('sync.history', { username: USER, limit: 1 })
  const [contact] = contacts as Contact[]
  if (contact === undefined) throw new Error('there was no contact')
  return contact
}

const seconds = (): number => Date.now() / 1000

export async function resume(end: End): Promise<number> {
  const since = seconds()
  await end.call('sync.resume', { username: USER })
  return inSync(end, since)
}
