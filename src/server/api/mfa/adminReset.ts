import * as z from 'zod'
import { trailOf } from '../../dispatch/call.js'
import { adminKey } from '../../call/callers.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { platformMethod, type PlatformCall, type Result } from '../../call/method.js'
import { atHome } from '../../platform/cores/atHome.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { notifyOwner } from './notice.js'
import { removeEnrolment } from './remove.js'
import type { MailDeps } from '../../mail/mailer.js'

/**
 * The operator's reset of a second factor (docs/interface/mfa.md#removal). Recorded in the audit trail of the account.
 */
export const adminReset = platformMethod({
  id: 'system.deactivateMfa',
  summary: 'Removes the second factor of an account.',
  http: { verb: 'DELETE', path: '/system/users/:username/mfa', status: 204 },
  caller: adminKey,
  input: z.looseObject({ username: z.string().describe('User name of the account.') }),
  output: () => z.object({}),
  notInBatch: true,
  fails: ['unknown-resource'],
  run(call: PlatformCall<CoreCallDeps & MailDeps>, { username }) {
    const route = { verb: 'DELETE', path: `/system/users/${encodeURIComponent(username)}/mfa` } as const
    return atHome(call, { username, route }, (loaded) => reset(call, loaded))
  },
})

async function reset({ node, origin }: PlatformCall<MailDeps>, { account, user }: LoadedAccount): Promise<Result> {
  const trail = trailOf({ node, account, origin }, 'mfa.deactivate', 'admin')
  const wasThere = await account.write((t) => {
    trail?.stage(t)
    return removeEnrolment(t)
  })
  trail?.succeeded()
  if (wasThere) notifyOwner({ node, account, user }, 'deactivatedByAdmin')
  return {}
}
