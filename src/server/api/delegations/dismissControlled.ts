import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { dropMirror } from './invites.js'
import { controlledNamed, OtherUsername } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * See docs/interface/delegations.md#life-of-a-delegation. Only delegations ended by the controlled account can be dismissed.
 */
export const dismissControlled = method({
  id: 'delegations.dismissControlled',
  summary: 'Removes an account from the list after it ended its delegation.',
  http: { verb: 'DELETE', path: '/delegations/controlled/:username' },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: OtherUsername,
  output: () => z.object({}),
  fails: ['forbidden', 'invalid-parameters-format', 'delegation-not-found', 'delegation-mirror-not-stale'],
  run(call: Call<CoresDeps>, { username }) {
    return writeExclusively(call, async (write) => {
      const { relId, status } = await controlledNamed(call, username)
      if (status !== 'stale') throw new Failure('delegation-mirror-not-stale')
      return write((t) => {
        dropMirror(call.node, t, relId)
        return {}
      })
    })
  },
})
