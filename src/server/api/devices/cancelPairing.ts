import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { SyncDeps } from '../../sync/sync.js'
import { pendingPairing } from './rules.js'

/** The method devices.cancelPairing (docs/interface/devices.md#pairing). */
export const cancelPairing = method({
  id: 'devices.cancelPairing',
  summary: 'Withdraws a pairing link, or rejects the node that used it.',
  http: { verb: 'DELETE', path: '/devices/pairings/:id' },
  caller: genuinePersonalOnly,
  input: z.strictObject({ id: z.string().describe('Id of the pairing.'), auth: z.string().optional() }),
  output: () => z.object({ pairingDeletion: z.object({ id: z.string().describe('Id of the pairing.') }).describe('The cancelled pairing.') }),
  fails: ['invalid-parameters-format', 'invalid-operation', 'unknown-resource', 'forbidden', 'delegation-genuine-login-required'],
  async run(call: Call<SyncDeps>, { id }) {
    pendingPairing(call, id)
    await call.node.sync.pairings.withdraw(id)
    return { pairingDeletion: { id } }
  },
})
