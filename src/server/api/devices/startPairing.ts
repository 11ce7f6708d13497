import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { isLoopbackUrl } from '../../base/loopback.js'
import { assertPairingCount, assertSyncActive, ownAddress, PeerName, shareScope } from '../../sync/rules.js'
import type { SyncDeps } from '../../sync/sync.js'
import { PairingStatus } from '../../sync/views.js'
import { assertPendingCount } from './rules.js'

const MAX_STREAMS = 1000

/** The method devices.startPairing (docs/interface/devices.md#pairing). */
export const startPairing = method({
  id: 'devices.startPairing',
  summary: 'Creates a pairing link for another node; it is valid once, for ten minutes.',
  http: { verb: 'POST', path: '/devices/pairings', status: 201 },
  caller: genuinePersonalOnly,
  input: z.strictObject({
    name: PeerName.optional().describe("Name of the other node on this one; default: the other node's own name."),
    address: z.string().max(2000).optional().describe('Address of this node for the other one; default: its public address.'),
    share: z.strictObject({
      streams: z.array(z.string()).min(1).max(MAX_STREAMS).describe('Streams to share.'),
      direction: z.enum(['send', 'receive', 'both']).describe('Direction of the share.'),
    }).optional().describe('Streams to share; default: the whole account.'),
  }),
  output: () => z.object({
    pairing: PairingStatus.describe('The pairing.'),
    link: z.string().describe('The link.'),
    isLocal: z.boolean().describe('true when the address in the link only works on the machine of this node.'),
  }),
  fails: ['invalid-parameters-format', 'invalid-operation', 'unknown-referenced-resource', 'forbidden', 'delegation-genuine-login-required'],
  async run(call: Call<SyncDeps>, { name, address: input, share }) {
    const { account, node, user } = call
    assertSyncActive(node)
    assertPendingCount(call)
    await assertPairingCount(node, account)
    const address = ownAddress(node, input)
    const about = { account, username: user.username, scope: shareScope(account, share), address, ...(name === undefined ? {} : { name }) }
    const { link, ...pairing } = await node.sync.pairings.offer(about)
    return { pairing, link, isLocal: isLoopbackUrl(address) }
  },
})
