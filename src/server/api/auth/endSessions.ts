import * as z from 'zod'
import { listSessions } from '../../../store/accesses/accesses.js'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { endSessionsOf } from './sessionList.js'

const MAX_IDS = 1000

/** Route that ends sessions of the owner. See docs/interface/auth.md#sessions. */
export const endSessions = method({
  id: 'auth.endSessions',
  summary: 'Ends sessions of the owner: those named, or all others.',
  http: { verb: 'POST', path: '/auth/end-sessions' },
  caller: genuinePersonalOnly,
  input: z.strictObject({
    ids: z.array(z.string().max(200)).max(MAX_IDS).optional().describe('Ids of the sessions; default: all except that of the call.'),
  }),
  output: () => z.object({ ended: z.array(z.string()).describe('Ids of the sessions that were open.') }),
  fails: ['invalid-parameters-format', 'forbidden', 'delegation-genuine-login-required'],
  run(call, { ids }) {
    const { account, caller } = call
    return writeExclusively(call, async (write) => {
      const named = ids ?? (await listSessions(account)).filter((id) => id !== caller.access.id)
      return write((t) => ({ ended: endSessionsOf(t, [...new Set(named)]) }))
    })
  },
})
