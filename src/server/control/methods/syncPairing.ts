/** Operator methods for pairing with another node, for the users of both terminals. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import type { Scope } from '../../../store/replication/peers.js'
import type { NodeMethod } from '../control.js'
import type { LoadedAccount } from '../../accountCache.js'
import type { Node } from '../../node.js'
import { erase } from '../../register/deleteUser.js'
import { createBareAccount } from '../../sync/bareAccount.js'
import { isLoopback, ownAddress, PeerName, sharedStreams } from '../../sync/rules.js'
import { loadedOf } from './loaded.js'

const About = z.object({ username: z.string(), name: PeerName.optional(), address: z.string().optional() })
const Offered = About.extend({
  /** Without it, the whole account. */
  share: z.object({ streams: z.array(z.string()).min(1), direction: z.enum(['send', 'receive', 'both']) }).optional(),
  /** Pairs with anyone who has the link, without comparing words. */
  unattended: z.boolean().optional(),
})
const Accepted = About.extend({
  link: z.string().max(2000),
  /** Create the account if it does not exist. */
  create: z.boolean().optional(),
})
const OnTheWay = z.object({ pairing: z.string() })

async function assertPairingCount({ sync, config }: Node, { account }: LoadedAccount): Promise<void> {
  const max = config.get('sync.maxPeers')
  if ((await sync.peers.statuses(account)).length < max) return
  throw new Failure('invalid-operation', `An account is paired with at most ${max} nodes (sync.maxPeers).`)
}

function assertActive({ config }: Node): void {
  if (!config.get('sync.active')) throw new Failure('invalid-operation', 'Sync is disabled on this node: sync.active = false.')
}

/** Returns the accepting account; `isNew` when it was created for the pairing. */
async function acceptor(node: Node, username: string, create: boolean): Promise<{ loaded: LoadedAccount; isNew: boolean }> {
  const known = await node.accounts.find(username)
  if (known !== undefined) return { loaded: known, isNew: false }
  if (create) return { loaded: await createBareAccount(node, username), isNew: true }
  throw new Failure('unknown-user', `Unknown user "${username}". Pass --create to create the account.`)
}

export const pairingMethods: Readonly<Record<string, NodeMethod>> = {
  /** Creates a pairing link for another node. The feed `node.sync` reports its progress. */
  async 'sync.offer'(node, params) {
    assertActive(node)
    const { username, name, address: input, share, unattended = false } = parseInput(Offered, params)
    const loaded = await loadedOf(node, { username })
    await assertPairingCount(node, loaded)
    const { account } = loaded
    const scope: Scope =
      share === undefined
        ? { is: 'mirror' }
        : { is: 'share', streams: sharedStreams(account, share.streams), direction: share.direction, grantor: 'us' }
    const address = ownAddress(node, input)
    const more = name === undefined ? {} : { name }
    const about = { account, username: loaded.user.username, scope, address, unattended, ...more }
    const { link, ...pairing } = await node.sync.pairings.offer(about)
    return { pairing, link, address, isLocal: isLoopback(address) }
  },
  /** Connects to the node of a link. Both users then compare the words. */
  async 'sync.accept'(node, params) {
    assertActive(node)
    const { username, name, address: input, link, create = false } = parseInput(Accepted, params)
    const { loaded, isNew } = await acceptor(node, username, create)
    await assertPairingCount(node, loaded)
    const address = ownAddress(node, input)
    const about = {
      account: loaded.account,
      username: loaded.user.username,
      // The offering side defines the share.
      scope: { is: 'mirror' } as const,
      // A loopback address would mislead the other machine.
      ...(input === undefined && isLoopback(address) ? {} : { address }),
      ...(name === undefined ? {} : { name }),
    }
    const undo = isNew ? () => erase(node, loaded) : undefined
    return { pairing: await node.sync.pairings.accept(link.trim(), about, undo), isNew }
  },
  /** Confirms that both screens show the same words; resolves after the other user confirms, too. */
  async 'sync.confirm'(node, params) {
    const { peer, account } = await node.sync.pairings.confirm(parseInput(OnTheWay, params).pairing)
    const [status] = (await node.sync.peers.statuses(account)).filter(({ id }) => id === peer.pairing)
    return { peer: { id: peer.pairing, name: peer.name, ...status } }
  },
  /** Withdraws an offer, or rejects the node that answered it. */
  async 'sync.withdraw'(node, params) {
    const { pairing } = parseInput(OnTheWay, params)
    await node.sync.pairings.withdraw(pairing)
    return { withdrawn: pairing }
  },
}
