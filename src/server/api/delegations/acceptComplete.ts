import * as z from 'zod'
import { delegates } from '../../../store/accesses/delegations.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { callersMarker, inviteCapability } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { endManaged } from './managedAccess.js'

/** The delegate is fully set up; removes the capability of the invite. See docs/interface/delegations.md#between-nodes. */
export const acceptComplete = method({
  id: 'delegations.acceptComplete',
  summary: 'Between nodes: the delegate has become active.',
  http: { verb: 'POST', path: '/delegations/controlled-side/accept-complete' },
  caller: inviteCapability,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({ ok: z.literal(true).describe('Done.') }),
  fails: ['invalid-access-token'],
  async run(call) {
    const { relId } = callersMarker(call, 'invite-capability')
    const { node } = call
    await writeExclusively(call, (write) =>
      write((t) => {
        // Only accepted invites are completed.
        if (delegates.find(t, node.store.seal, t.account, relId)?.status === 'active') endManaged(node, t, 'invite-capability', relId)
      }),
    )
    return { ok: true }
  },
})
