/** What the screen of `coffer status --watch` has read of the node. */
import { listOf, textOf, type Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'

/** Results of node.status, users.list, requests.list and node.attention, as they were read last. */
export interface StatusSnapshot {
  status: Record_
  users: Record_[]
  requests: Record_[]
  attention: Record_
  /** Why the latest reading failed. */
  problem?: string
}

export const peersOf = ({ status }: StatusSnapshot): Record_[] => listOf(status['peers'])

/** The name of a peer, with whose it is where another account has a peer of that name. */
export function peerName(peer: Record_, peers: readonly Record_[]): string {
  const isOne = peers.every(({ name, user }) => name !== peer['name'] || user === peer['user'])
  return isOne ? textOf(peer['name']) : `${textOf(peer['name'])} of ${textOf(peer['user'])}`
}

/**
 * What the node answers now; when it does not, why. `withAll` also asks for what takes the node a while: it looks at each
 * account.
 */
export async function readNode(client: Pick<NodeClient, 'call'>, withAll: boolean): Promise<Partial<StatusSnapshot>> {
  try {
    const status = await client.call('node.status', {}, {})
    const requests = listOf((await client.call('requests.list', {}, {}))['requests'])
    if (!withAll) return { status, requests }
    const users = listOf((await client.call('users.list', {}, {}))['users'])
    return { status, requests, users, attention: await client.call('node.attention', {}, {}) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** A problem goes with the next answer; what was known stays until then. */
export function joined(before: StatusSnapshot | undefined, read: Partial<StatusSnapshot>): StatusSnapshot {
  const { problem: _, ...known } = before ?? { status: {}, users: [], requests: [], attention: {} }
  return { ...known, ...read }
}
