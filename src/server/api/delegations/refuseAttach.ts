import * as z from 'zod'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { isDone, type DelegationDeps } from './delivery.js'
import { dropMirror } from './invites.js'
import { controlledNamed, logUndelivered, OtherUsername } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * See docs/interface/delegations.md#life-of-a-delegation. Removes the invite even if its account cannot be notified. Accepted
 * invites cannot be refused.
 */
export const refuseAttach = method({
  id: 'delegations.refuseAttach',
  summary: 'Refuses an invitation to act for an account.',
  http: { verb: 'POST', path: '/delegations/controlled/:username/refuse' },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: OtherUsername,
  output: () => z.object({}),
  fails: ['forbidden', 'invalid-parameters-format', 'delegation-not-found'],
  async run(call: Call<DelegationDeps & CoresDeps>, { username }) {
    const { node } = call
    const refused = await writeExclusively(call, async (write) => {
      const mirror = await controlledNamed(call, username)
      if (mirror.status !== 'invite') return undefined
      await write((t) => dropMirror(node, t, mirror.relId))
      return mirror
    })
    if (refused?.capabilityUrl === undefined) return {}
    const { relId, controlled, capabilityUrl } = refused
    const answer = await node.delegations.toAccount(controlled, capabilityUrl, 'refuse-response', { relId })
    if (!isDone(answer)) logUndelivered(node, 'invite refused', relId, answer)
    return {}
  },
})
