/** What the screen of `coffer status --watch` has read of the node. */
import { listOf, textOf, type Record_ } from '../../node/answer.js'
import type { Door } from '../../node/door.js'

/** Results of node.status, users.list, requests.list and node.attention, as they were read last. */
export interface Seen {
  status: Record_
  users: Record_[]
  requests: Record_[]
  attention: Record_
  /** Why the latest reading failed. */
  problem?: string
}

export const peersOf = ({ status }: Seen): Record_[] => listOf(status['peers'])

/** The name of a peer, with whose it is where several accounts have peers. */
export function peerName(peer: Record_, peers: readonly Record_[]): string {
  const isOne = new Set(peers.map(({ user }) => user)).size <= 1
  return isOne ? textOf(peer['name']) : `${textOf(peer['name'])} of ${textOf(peer['user'])}`
}

/**
 * What the node answers now; when it does not, why. `withAll` also asks for what takes the node a while: it looks at each
 * account.
 */
export async function readNode(door: Pick<Door, 'call'>, withAll: boolean): Promise<Partial<Seen>> {
  try {
    const status = await door.call('node.status', {}, {})
    const requests = listOf((await door.call('requests.list', {}, {}))['requests'])
    if (!withAll) return { status, requests }
    const users = listOf((await door.call('users.list', {}, {}))['users'])
    return { status, requests, users, attention: await door.call('node.attention', {}, {}) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** A problem goes with the next answer; what was known stays until then. */
export function joined(before: Seen | undefined, read: Partial<Seen>): Seen {
  const { problem: _, ...known } = before ?? { status: {}, users: [], requests: [], attention: {} }
  return { ...known, ...read }
}
