/** The first sync of a new pairing. */
import type { Context } from '../../../command.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import type { Interruption } from '../../../client/interruption.js'

/** Maximum wait: one day, in seconds. */
const MAX_WAIT_S = 86_400

/** User name of the account, and id of the pairing. */
export interface NewPeer {
  user: string
  peer: string
}

/** Number of comparisons without a contact, and the wait after each in milliseconds: a slow node needs seconds to connect. */
const CONTACT_TRIES = 60
const RETRY_MS = 500

/** Waits until both nodes are in sync, or until the person leaves. Returns a function that prints the result. */
export async function firstSync(client: NodeClient, { user: username, peer }: NewPeer, leave: Pick<Interruption, 'or'>): Promise<(out: Context['out']) => void> {
  for (let tries = 1; ; tries++) {
    const answer = await leave.or(client.call('sync.now', { username, peer, seconds: MAX_WAIT_S }, {}))
    if (answer === 'interrupted') return continues
    const [compared] = answer.peers
    if (compared?.state === 'in-sync') return (out) => out.done('Both nodes are in sync.')
    // A comparison ends at once, without a reason, while the other node has not connected.
    const isWaiting = compared !== undefined && compared.reason === undefined && ['syncing', 'offline'].includes(compared.state)
    if (!isWaiting || tries === CONTACT_TRIES) return (out) => out.warn(`Not in sync yet: ${compared?.reason ?? compared?.state ?? 'the pairing has ended'}`)
    if ((await leave.or(new Promise((resolve) => setTimeout(resolve, RETRY_MS)))) === 'interrupted') return continues
  }
}

const continues = (out: Context['out']): void => out.note('The sync continues in the background; nothing was lost.')
