import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { trailOf } from '../../dispatch/call.js'
import { presentUser, replaceUser } from '../shared/updateUser.js'
import { adminKey } from '../../call/callers.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { atHome } from '../../platform/cores/atHome.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { BY_OPERATOR } from './updateUser.js'

/**
 * Frees the names of an account: its user name, former ones and values of unique fields (docs/interface/system.md#accounts). Its
 * data stay. Its user name becomes its own id, by which its owner and the operator reach it, and by which it can be deleted for
 * good. `coffer users list --unnamed` and `coffer platform check` show it; `coffer users rename` assigns a new name. Its tokens
 * and aliases stay valid.
 */
export const unregisterUser = platformMethod({
  id: 'system.unregisterUser',
  summary: 'Frees the names of an account; its data stay.',
  http: { verb: 'DELETE', path: '/system/users/:username', query: { onlyReg: 'boolean', dryRun: 'boolean' } },
  caller: adminKey,
  input: z.object({
    username: z.string().describe('User name of the account.'),
    onlyReg: z.unknown().optional().meta({ type: 'boolean' }).describe('Must be true: names are freed, data stay.'),
    dryRun: z.boolean().optional().describe('true: check only; default false.'),
  }),
  output: () => z.object({
    result: z.object({
      dryRun: z.boolean().describe('true if nothing was changed.'),
      deleted: z.boolean().describe('true if the names were freed.'),
    }).describe('Result of the call.'),
  }),
  notInBatch: true,
  fails: ['invalid-operation', 'invalid-parameters-format', 'unknown-resource', 'item-already-exists'],
  async run(call: PlatformCall<CoreCallDeps>, { username, onlyReg, dryRun = false }) {
    if (onlyReg !== true) {
      throw new Failure('invalid-operation', 'Pass onlyReg=true to free the names. To delete an account, use DELETE /users/{username}.')
    }
    const route = { verb: 'DELETE', path: `/system/users/${encodeURIComponent(username)}?onlyReg=true&dryRun=${dryRun}` } as const
    return atHome(call, { username, route }, async (loaded) => {
      if (!dryRun) await freeNames(call, loaded)
      return { result: { dryRun, deleted: !dryRun } }
    })
  },
})

async function freeNames({ node, origin }: PlatformCall, { account, user }: LoadedAccount): Promise<void> {
  const trail = trailOf({ node, origin, account }, 'system.unregisterUser', BY_OPERATOR)
  await account.exclusively(async (write) => {
    const before = presentUser(account)
    const { formerUsernames: _, emails: _emails, identities: _identities, ...stored } = before
    await replaceUser(node, write, before, { ...stored, username: user.id, unique: {} }, (t) => trail?.stage(t))
  })
  trail?.succeeded()
}
