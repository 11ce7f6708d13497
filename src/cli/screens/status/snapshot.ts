/** Snapshot of the node for the screen of `coffer status --watch`. */
import { errorMessage } from '../../../store/model/errorMessage.js'
import { listOf, textOf, type Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import type { Peer } from '../../commands/sync/shared/peer.js'

/** Latest results of node.status, users.list, requests.list and node.attention. */
export interface StatusSnapshot {
  status: Record_
  users: Record_[]
  requests: Record_[]
  attention: Record_
  /** Reason why the latest read failed. */
  problem?: string
}

export const peersOf = ({ status }: StatusSnapshot): Peer[] => listOf(status['peers']) as unknown as Peer[]

/** Returns the name of a peer, with its account if another account has a peer of that name. */
export function peerName(peer: Record_, peers: readonly Record_[]): string {
  const isOne = peers.every(({ name, user }) => name !== peer['name'] || user === peer['user'])
  return isOne ? textOf(peer['name']) : `${textOf(peer['name'])} of ${textOf(peer['user'])}`
}

/** Reads the node; returns the problem if it fails. `withAll` includes slow requests that read every account. */
export async function readNode(client: Pick<NodeClient, 'call'>, withAll: boolean): Promise<Partial<StatusSnapshot>> {
  try {
    const status = await client.call('node.status', {}, {})
    const requests = listOf((await client.call('requests.list', {}, {}))['requests'])
    if (!withAll) return { status, requests }
    const users = listOf((await client.call('users.list', {}, {}))['users'])
    return { status, requests, users, attention: await client.call('node.attention', {}, {}) }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}

/** Merges a read into the snapshot: clears the previous problem and keeps earlier results. */
export function joined(before: StatusSnapshot | undefined, read: Partial<StatusSnapshot>): StatusSnapshot {
  const { problem: _, ...known } = before ?? { status: {}, users: [], requests: [], attention: {} }
  return { ...known, ...read }
}
