import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { SyncDeps } from '../../sync/sync.js'
import { PairingStatus } from '../../sync/views.js'
import { pendingPairing } from './rules.js'

/** Maximum time in milliseconds to wait for the other user. */
const MAX_WAIT_MS = 1000

/** The method devices.confirmPairing (docs/interface/devices.md#pairing). */
export const confirmPairing = method({
  id: 'devices.confirmPairing',
  summary: 'Confirms that both screens show the same words. The nodes are paired once the other user confirms, too.',
  http: { verb: 'POST', path: '/devices/pairings/:id/confirm' },
  caller: genuinePersonalOnly,
  input: z.strictObject({ id: z.string().describe('Id of the pairing.') }),
  output: () => z.object({ pairing: PairingStatus.describe('The pairing: paired, failed, or still met when the other user has not confirmed within a second.') }),
  fails: ['invalid-parameters-format', 'invalid-operation', 'unknown-resource', 'forbidden', 'delegation-genuine-login-required'],
  async run(call: Call<SyncDeps>, { id }) {
    const { account, node } = call
    if (pendingPairing(call, id).state !== 'met') throw new Failure('invalid-operation', 'No other node has connected yet.')
    await within(node.sync.pairings.confirm(id), MAX_WAIT_MS)
    const pairing = node.sync.pairings.list(account).find((one) => one.id === id)
    if (pairing === undefined) throw new Failure('unknown-resource', 'This pairing is no longer pending.')
    const { link: _, ...view } = pairing
    return { pairing: view }
  },
})

/** Resolves once a promise is settled, or after a time. */
async function within(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  // The pairing states why it failed.
  await Promise.race([promise.then(() => undefined, () => undefined), late])
  clearTimeout(timer)
}
