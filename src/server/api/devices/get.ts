import * as z from 'zod'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { SyncDeps } from '../../sync/sync.js'
import { PeerView } from '../../sync/views.js'

/** The method devices.get (docs/interface/devices.md#states). */
export const get = method({
  id: 'devices.get',
  summary: 'Lists the nodes that sync the account, with their status.',
  http: { verb: 'GET', path: '/devices' },
  caller: personalOnly,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({
    devices: z.array(PeerView).describe('The paired nodes.'),
    thisDevice: z.object({
      name: z.string().describe('Name of this node for other nodes.'),
      active: z.boolean().describe('false when sync is disabled on this node.'),
      node: z.string().optional().describe('Public key of this node, base64url; absent if it was never paired.'),
      fingerprint: z.string().optional().describe('Fingerprint of the public key.'),
    }).describe('This node.'),
  }),
  fails: ['invalid-parameters-format', 'forbidden'],
  async run({ account, node }: Call<SyncDeps>) {
    const { sync, config } = node
    const devices = await sync.peers.statuses(account)
    return { devices, thisDevice: { name: sync.name, active: config.get('sync.active'), ...(await sync.identity()) } }
  },
})
