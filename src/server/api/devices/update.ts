import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { PeerName } from '../../sync/rules.js'
import type { SyncDeps } from '../../sync/sync.js'
import { PeerView } from '../../sync/views.js'
import { deviceAt } from './rules.js'

/** The method devices.update (docs/interface/devices.md#changes). */
export const update = method({
  id: 'devices.update',
  summary: 'Renames a paired node, or pauses and resumes the exchange with it.',
  http: { verb: 'PUT', path: '/devices/:id', body: 'update' },
  caller: genuinePersonalOnly,
  input: z.strictObject({
    id: z.string().describe('Id of the device.'),
    update: z.strictObject({
      name: PeerName.optional().describe('New name on this node.'),
      paused: z.boolean().optional().describe('true: pause the exchange; false: resume it.'),
    }).describe('Members to change.'),
  }),
  output: () => z.object({ device: PeerView.describe('The changed device.') }),
  fails: ['invalid-parameters-format', 'unknown-resource', 'item-already-exists', 'forbidden', 'delegation-genuine-login-required'],
  async run(call: Call<SyncDeps>, { id, update: { name, paused } }) {
    const { account, node } = call
    const { number } = await deviceAt(call, id)
    const change = { ...(name === undefined ? {} : { name }), ...(paused === undefined ? {} : { paused }) }
    return { device: await node.sync.peers.change(account, number, change) }
  },
})
