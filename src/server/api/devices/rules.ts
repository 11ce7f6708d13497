/** Peers and pairings of the account of a call. */
import { Failure } from '../../../store/model/failure.js'
import type { Peer } from '../../../store/replication/peers.js'
import type { Call } from '../../call/method.js'
import type { PairingView } from '../../sync/pairings.js'
import type { SyncDeps } from '../../sync/sync.js'

/** Maximum number of pending pairings of an account; a node has a maximum for all. */
const MAX_PENDING = 5

/**
 * Returns the peer with a pairing id. Names are no ids here.
 * @throws Failure `unknown-resource`
 */
export async function deviceAt({ account, node }: Call<SyncDeps>, id: string): Promise<Peer> {
  const known = (await node.sync.peers.statuses(account)).some((device) => device.id === id)
  if (!known) throw new Failure('unknown-resource', 'There is no such device.')
  return node.sync.peers.named(account, id)
}

const isPending = ({ state }: Pick<PairingView, 'state'>): boolean => state === 'offered' || state === 'met'

/** @throws Failure `unknown-resource` for pairings that are over, and those of other accounts */
export function pendingPairing({ account, node }: Call<SyncDeps>, id: string): PairingView {
  const found = node.sync.pairings.list(account).find((pairing) => pairing.id === id && isPending(pairing))
  if (found === undefined) throw new Failure('unknown-resource', 'This pairing is no longer pending.')
  return found
}

/** @throws Failure `invalid-operation` for an account with the maximum number of pending pairings */
export function assertPendingCount({ account, node }: Call<SyncDeps>): void {
  if (node.sync.pairings.list(account).filter(isPending).length < MAX_PENDING) return
  throw new Failure('invalid-operation', `An account has at most ${MAX_PENDING} pending pairings. Cancel some first.`)
}
