import * as z from 'zod'
import { putUser, readUser } from '../../../store/accounts/users.js'
import { emailsOf, withEmails } from '../../../store/accounts/emails.js'
import { withProof } from '../../../store/model/emails.js'
import { Failure } from '../../../store/model/failure.js'
import { assertTrustedApp } from '../../auth/trustedApp.js'
import { mailRecipient } from '../../call/callers.js'
import { openMethod } from '../../call/method.js'
import { addressProved } from './verification.js'

/**
 * Route that verifies an address. See docs/interface/account.md#verification-of-addresses. The token is sufficient: an `appId`,
 * if given, must be trusted. All invalid tokens get the same failure.
 */
export const verifyEmail = openMethod({
  id: 'account.verifyEmail',
  summary: 'Verifies an e-mail address with the token that was mailed to it.',
  http: { verb: 'POST', path: '/account/verify-email' },
  caller: mailRecipient,
  input: z.object({
    token: z.string().max(1000).describe('Token of the verification mail.'),
    appId: z.string().optional().describe('Id of the app.'),
  }),
  output: () => z.object({ email: z.string().describe('The verified address.') }),
  notInBatch: true,
  auditedAs: 'email-verification-token',
  fails: ['invalid-parameters-format', 'invalid-credentials', 'invalid-access-token'],
  async run(call, { token, appId }) {
    const { node, account } = call
    if (appId !== undefined) assertTrustedApp(call, appId)
    const email = await account.write((t) => {
      const now = node.clock.now()
      const user = readUser(t, t.account)
      const list = user === undefined ? [] : emailsOf(t, t.account, user)
      const address = addressProved(list, token, now)
      if (user === undefined || address === undefined) {
        throw new Failure('invalid-access-token', 'The verification token is unknown, used or expired.', undefined, 'absent')
      }
      putUser(t, withEmails(user, withProof(list, address, 'email-link', now)), 'update')
      return address
    })
    return { email }
  },
})
