import * as z from 'zod'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { writeAccount } from '../../dispatch/accountWrite.js'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { notifyOwner } from './notice.js'
import { removeEnrolment } from './remove.js'
import { requireStepUp } from './stepUp.js'
import type { MailDeps } from '../../mail/mailer.js'

/**
 * The method mfa.deactivate (docs/interface/mfa.md#removal). Only the token is required by default. A password or code is checked
 * if present, and required by `services.mfa.stepUp.required`.
 */
export const deactivate = method({
  id: 'mfa.deactivate',
  summary: 'Removes the second factor of the account.',
  http: { verb: 'POST', path: '/mfa/deactivate' },
  caller: genuinePersonalOnly,
  input: z.strictObject({
    password: z.string().optional().describe('Password; this or a code, not both.'),
    code: z.string().optional().describe('Code of the second factor; this or the password, not both.'),
  }),
  output: () => z.object({ message: z.string().describe('Explanation.') }),
  fails: ['invalid-parameters-format', 'forbidden', 'delegation-genuine-login-required', 'invalid-step-up', 'too-many-attempts'],
  async run(call: Call<MailDeps>, params) {
    const { node, account } = call
    const isGiven = params.password !== undefined || params.code !== undefined
    if (isGiven || node.config.get('services.mfa.stepUp.required')) {
      await requireStepUp(call, readEnrolment(node.store.db, account.prefix), params)
    }
    if (await writeAccount(call, removeEnrolment)) notifyOwner(call, 'deactivated')
    return { message: 'This account has no second factor.' }
  },
})
