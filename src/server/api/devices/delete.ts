import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { SyncDeps } from '../../sync/sync.js'
import { deviceAt } from './rules.js'

/** The method devices.delete (docs/interface/devices.md#changes). */
export const remove = method({
  id: 'devices.delete',
  summary: 'Ends the pairing with a node; both keep their data.',
  http: { verb: 'DELETE', path: '/devices/:id' },
  caller: genuinePersonalOnly,
  input: z.strictObject({ id: z.string().describe('Id of the device.'), auth: z.string().optional() }),
  output: () => z.object({
    deviceDeletion: z.object({
      id: z.string().describe('Id of the device.'),
      notified: z.boolean().describe('true when the other node was notified.'),
    }).describe('The ended pairing.'),
  }),
  fails: ['invalid-parameters-format', 'unknown-resource', 'forbidden', 'delegation-genuine-login-required'],
  async run(call: Call<SyncDeps>, { id }) {
    const { number } = await deviceAt(call, id)
    const { notified } = await call.node.sync.peers.unpair(call.account, number)
    return { deviceDeletion: { id, notified } }
  },
})
