import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { SyncDeps } from '../../sync/sync.js'
import { PairingStatus } from '../../sync/views.js'

/** The method devices.pairings (docs/interface/devices.md#pairing). */
export const pairings = method({
  id: 'devices.pairings',
  summary: 'Lists the pending pairings of the account, and those that ended since the start of the node; the latest first.',
  http: { verb: 'GET', path: '/devices/pairings' },
  caller: genuinePersonalOnly,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({
    pairings: z.array(PairingStatus.extend({ link: z.string().optional().describe('Link of a pending offer.') })).describe('The pairings.'),
  }),
  fails: ['invalid-parameters-format', 'forbidden', 'delegation-genuine-login-required'],
  run: ({ account, node }: Call<SyncDeps>) => ({
    // The link of an offer is used up once another node has connected.
    pairings: node.sync.pairings.list(account).map(({ link, ...view }) => (view.state === 'offered' && link !== undefined ? { ...view, link } : view)),
  }),
})
