/** The first sync of a new pairing. */
import type { Context } from '../../../command.js'
import { recordOf, textOf } from '../../../client/answer.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import type { Interruption } from '../../../client/interruption.js'

/** Maximum wait: one day, in seconds. */
const MAX_WAIT_S = 86_400

/** User name of the account, and id of the pairing. */
export interface NewPeer {
  user: string
  peer: string
}

/** Waits until both nodes are in sync, or until the person leaves. Returns a function that prints the result. */
export async function firstSync(client: NodeClient, { user: username, peer }: NewPeer, leave: Pick<Interruption, 'or'>): Promise<(out: Context['out']) => void> {
  const answer = await leave.or(client.call('sync.now', { username, peer, seconds: MAX_WAIT_S }, {}))
  if (answer === 'interrupted') return (out) => out.note('The sync continues in the background; nothing was lost.')
  const [compared] = Array.isArray(answer.peers) ? answer.peers.map(recordOf) : []
  if (compared?.['state'] === 'in-sync') return (out) => out.done('Both nodes are in sync.')
  const why = textOf(compared?.['reason']) || textOf(compared?.['state'])
  return (out) => out.warn(`Not in sync yet: ${why}`)
}
