import * as z from 'zod'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { callersMarker, delegationNotify } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { dropMirror } from './invites.js'
import { endManaged } from './managedAccess.js'

/**
 * The relationship ended on the controlled account, regardless of its state here. See
 * docs/interface/delegations.md#between-nodes.
 */
export const notifyDetach = method({
  id: 'delegations.notifyDetach',
  summary: 'Between nodes: the controlled account has ended the relationship.',
  http: { verb: 'POST', path: '/delegations/controlled-side/detach-notify' },
  caller: delegationNotify,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({ ok: z.literal(true).describe('Done.') }),
  fails: ['invalid-access-token'],
  async run(call) {
    const { relId } = callersMarker(call, 'notify')
    const { node } = call
    await writeExclusively(call, (write) =>
      write((t) => {
        dropMirror(node, t, relId)
        endManaged(node, t, 'notify', relId)
      }),
    )
    return { ok: true }
  },
})
