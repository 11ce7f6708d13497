/** Operator methods for pairing with another node, for the users of both terminals. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { isLoopbackHost, isLoopbackUrl } from '../../base/loopback.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Node } from '../../index.js'
import { erase } from '../../api/register/deleteUser.js'
import { failureForOperator } from '../../platform/cores/wrongCore.js'
import { createBareAccount } from '../../sync/bareAccount.js'
import { assertPairingCount, assertSyncActive, ownAddress, PeerName, shareScope } from '../../sync/rules.js'
import { PairingStatus, PeerView } from '../../sync/views.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const About = z.strictObject({
  ...OfAccount,
  name: PeerName.optional().describe("Name of the peer on this node; default: the peer's own name."),
  address: z.string().optional().describe('Address of this node for the peer.'),
})

const pairing = z.string().describe('Id of the pairing.')
const OfPairing = z.strictObject({ pairing })

/** Returns the accepting account; `isNew` when it was created for the pairing. */
async function acceptor(node: Node, username: string, create: boolean): Promise<{ loaded: LoadedAccount; isNew: boolean }> {
  const known = await node.accounts.find(username)
  if (known !== undefined) return { loaded: known, isNew: false }
  const absent = await failureForOperator(node, username)
  if (absent.id !== 'unknown-user') throw absent
  if (create) return { loaded: await createBareAccount(node, username), isNew: true }
  throw new Failure('unknown-user', `Unknown user "${username}". Pass --create to create the account.`)
}

const offer = operatorMethod({
  id: 'sync.offer',
  summary: 'Creates a pairing link for another node. The feed node.sync reports its progress.',
  input: About.extend({
    share: z.object({
      streams: z.array(z.string()).min(1).describe('Streams to share.'),
      direction: z.enum(['send', 'receive', 'both']).describe('Direction of the share.'),
    }).optional().describe('Streams to share; default: the whole account.'),
    unattended: z.boolean().default(false).describe('true: pair with anyone who has the link, without comparing words.'),
  }),
  output: () => z.object({
    pairing: PairingStatus.describe('The pairing.'),
    link: z.string().describe('The link.'),
    address: z.string().describe('Address of this node in the link.'),
    isLocal: z.boolean().describe('true when the address only works on this machine.'),
    isExposed: z.boolean().describe('true when the node listens on addresses that other machines reach.'),
  }),
  fails: ['unknown-user', 'invalid-operation'],
  async run({ node }, { username, name, address: input, share, unattended }) {
    assertSyncActive(node)
    const loaded = await loadedOf(node, { username })
    const { account } = loaded
    await assertPairingCount(node, account)
    const scope = shareScope(account, share)
    const address = ownAddress(node, input)
    const more = name === undefined ? {} : { name }
    const about = { account, username: loaded.user.username, scope, address, unattended, ...more }
    const { link, ...view } = await node.sync.pairings.offer(about)
    return { pairing: view, link, address, isLocal: isLoopbackUrl(address), isExposed: !isLoopbackHost(node.config.get('http.ip')) }
  },
})

const accept = operatorMethod({
  id: 'sync.accept',
  summary: 'Connects to the node of a link. Both users then compare the words.',
  input: About.extend({
    link: z.string().max(2000).describe('The link.'),
    create: z.boolean().default(false).describe('true: create the account if it does not exist.'),
  }),
  output: () => z.object({ pairing: PairingStatus.describe('The pairing.'), isNew: z.boolean().describe('true when the account was created.') }),
  fails: ['unknown-user', 'invalid-operation'],
  async run({ node }, { username, name, address: input, link, create }) {
    assertSyncActive(node)
    const { loaded, isNew } = await acceptor(node, username, create)
    await assertPairingCount(node, loaded.account)
    const address = ownAddress(node, input)
    const about = {
      account: loaded.account,
      username: loaded.user.username,
      // The offering side defines the share.
      scope: { is: 'mirror' } as const,
      // A loopback address would mislead the other machine.
      ...(input === undefined && isLoopbackUrl(address) ? {} : { address }),
      ...(name === undefined ? {} : { name }),
    }
    const undo = isNew ? () => erase(node, loaded) : undefined
    return { pairing: await node.sync.pairings.accept(link.trim(), about, undo), isNew }
  },
})

const confirm = operatorMethod({
  id: 'sync.confirm',
  summary: 'Confirms that both screens show the same words; returns after the other user confirms, too.',
  input: OfPairing,
  output: () => z.object({ peer: PeerView.partial().required({ id: true, name: true }).describe('The peer; only id and name if it ended meanwhile.') }),
  fails: ['unknown-resource', 'invalid-operation'],
  async run({ node }, input) {
    const { peer, account } = await node.sync.pairings.confirm(input.pairing)
    const [status] = (await node.sync.peers.statuses(account)).filter(({ id }) => id === peer.pairing)
    return { peer: { id: peer.pairing, name: peer.name, ...status } }
  },
})

const withdraw = operatorMethod({
  id: 'sync.withdraw',
  summary: 'Withdraws an offer, or rejects the node that answered it.',
  input: OfPairing,
  output: () => z.object({ withdrawn: pairing }),
  fails: ['unknown-resource', 'invalid-operation'],
  async run({ node }, input) {
    await node.sync.pairings.withdraw(input.pairing)
    return { withdrawn: input.pairing }
  },
})

export const pairingMethods = [offer, accept, confirm, withdraw] as const
