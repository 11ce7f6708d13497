import * as z from 'zod'
import type { User } from '../../../store/accounts/users.js'
import { presentUser } from '../shared/updateUser.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import type { Context } from '../../call/context.js'

/** Returns the used and allowed number of username changes. */
export function changesOf(node: Context, { usernameChanges = 0 }: User): {
  usernameChangesUsed: number
  usernameChangesLimit: number
  usernameChangesRemaining: number
} {
  const limit = node.config.get('auth.usernameChangeLimit')
  return {
    usernameChangesUsed: usernameChanges,
    usernameChangesLimit: limit,
    usernameChangesRemaining: Math.max(0, limit - usernameChanges),
  }
}

/** Route that counts username changes. See docs/interface/account.md#user-names. */
export const usernameChanges = method({
  id: 'account.usernameChanges',
  summary: 'Counts the changes of the user name, used and left.',
  http: { verb: 'GET', path: '/account/username-changes' },
  caller: personalOnly,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({
    usernameChangesUsed: z.number().describe('Changes of the user name so far.'),
    usernameChangesLimit: z.number().describe('Changes that the node allows.'),
    usernameChangesRemaining: z.number().describe('Changes that are left.'),
  }),
  fails: ['invalid-parameters-format', 'forbidden'],
  run(call) {
    return changesOf(call.node, presentUser(call.account))
  },
})
