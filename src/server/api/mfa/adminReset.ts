import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { trailOf } from '../../dispatch/call.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
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
  output: z.object({}),
  notInBatch: true,
  fails: ['unknown-resource'],
  async run({ node, origin }: PlatformCall<MailDeps>, { username }) {
    const loaded = await node.accounts.find(username.toLowerCase())
    if (loaded === undefined) throw new Failure('unknown-resource', `Unknown user "${username}".`)
    const { account, user } = loaded
    const trail = trailOf({ node, account, origin }, 'mfa.deactivate', 'admin')
    const wasThere = await account.write((t) => {
      trail?.stage(t)
      return removeEnrolment(t)
    })
    trail?.succeeded()
    if (wasThere) notifyOwner({ node, account, user }, 'deactivatedByAdmin')
    return {}
  },
})
