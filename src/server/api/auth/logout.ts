import * as z from 'zod'
import { putSession, sessionExpiry } from '../../../store/accesses/accesses.js'
import { writeAccount } from '../../dispatch/accountWrite.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'

/** Route that ends the session; the access stays, unusable until the next login of its app. See docs/interface/auth.md#logout. */
export const logout = method({
  id: 'auth.logout',
  summary: 'Ends the session of the token.',
  http: { verb: 'POST', path: '/auth/logout' },
  caller: anyAccess,
  input: z.unknown(),
  output: () => z.object({}),
  fails: ['invalid-access-token'],
  run(call) {
    const { id } = call.caller.access
    return writeAccount(call, (t) => {
      if (sessionExpiry(t, t.account, id) !== undefined) putSession(t, id, undefined)
      return {}
    })
  },
})
