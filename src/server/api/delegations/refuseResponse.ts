import * as z from 'zod'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { callersMarker, inviteCapability } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { dropInvite } from './invites.js'

/** The delegate refused the invite. Has no effect on active relationships. See docs/interface/delegations.md#between-nodes. */
export const refuseResponse = method({
  id: 'delegations.refuseResponse',
  summary: 'Between nodes: the delegate refuses the invite.',
  http: { verb: 'POST', path: '/delegations/controlled-side/refuse-response' },
  caller: inviteCapability,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({ ok: z.literal(true).describe('Done.') }),
  fails: ['invalid-access-token'],
  async run(call) {
    const { relId } = callersMarker(call, 'invite-capability')
    await writeExclusively(call, (write) => write((t) => dropInvite(call.node, t, relId)))
    return { ok: true }
  },
})
