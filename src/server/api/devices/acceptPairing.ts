import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { isLoopbackUrl } from '../../base/loopback.js'
import { assertPairingCount, assertSyncActive, ownAddress, PeerName } from '../../sync/rules.js'
import type { SyncDeps } from '../../sync/sync.js'
import { PairingStatus } from '../../sync/views.js'
import { assertPendingCount } from './rules.js'

/** The method devices.acceptPairing (docs/interface/devices.md#pairing). */
export const acceptPairing = method({
  id: 'devices.acceptPairing',
  summary: 'Connects to the node of a pairing link. Both users then compare the words.',
  http: { verb: 'POST', path: '/devices/pairings/accept', status: 201 },
  caller: genuinePersonalOnly,
  input: z.strictObject({
    link: z.string().max(2000).describe('The link.'),
    name: PeerName.optional().describe("Name of the other node on this one; default: the other node's own name."),
    address: z.string().max(2000).optional().describe('Address of this node for the other one; default: its public address, unless only its machine reaches it.'),
  }),
  output: () => z.object({ pairing: PairingStatus.describe('The pairing.') }),
  fails: ['invalid-parameters-format', 'invalid-operation', 'forbidden', 'delegation-genuine-login-required'],
  async run(call: Call<SyncDeps>, { link, name, address: input }) {
    const { account, node, user } = call
    assertSyncActive(node)
    assertPendingCount(call)
    await assertPairingCount(node, account)
    const address = ownAddress(node, input)
    const pairing = await node.sync.pairings.accept(link.trim(), {
      account,
      username: user.username,
      // The offering side defines the share.
      scope: { is: 'mirror' },
      // A loopback address would mislead another machine.
      ...(input === undefined && isLoopbackUrl(address) ? {} : { address }),
      ...(name === undefined ? {} : { name }),
    })
    return { pairing }
  },
})
