/** Snapshot of the node for the screen of `coffer status --watch`. */
import { errorMessage } from '../../../store/model/errorMessage.js'
import type { NodeClient, ResultOf } from '../../client/nodeClient.js'
import type { Peer } from '../../commands/sync/shared/peer.js'

export type User = ResultOf<'users.list'>['users'][number]
export type Attention = ResultOf<'node.attention'>

/** Latest results of node.status, users.list, requests.list and node.attention; members are absent until the first answer. */
export interface StatusSnapshot {
  status: Partial<ResultOf<'node.status'>>
  users: User[]
  requests: ResultOf<'requests.list'>['requests']
  attention: Partial<Attention>
  /** Reason why the latest read failed. */
  problem?: string
}

export const peersOf = ({ status }: StatusSnapshot): Peer[] => status.peers ?? []

/** Names of a peer, which only together are unique. */
export type PeerId = Pick<Peer, 'name' | 'user'>

/** Returns the name of a peer, with its account if another account has a peer of that name. */
export function peerName(peer: PeerId, peers: readonly PeerId[]): string {
  const isOne = peers.every(({ name, user }) => name !== peer.name || user === peer.user)
  return isOne ? peer.name : `${peer.name} of ${peer.user}`
}

/** Reads the node; returns the problem if it fails. `withAll` includes slow requests that read every account. */
export async function readNode(client: Pick<NodeClient, 'call'>, withAll: boolean): Promise<Partial<StatusSnapshot>> {
  try {
    const status = await client.call('node.status', {}, {})
    const { requests } = await client.call('requests.list', {}, {})
    if (!withAll) return { status, requests }
    const { users } = await client.call('users.list', {}, {})
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
