import * as z from 'zod'
import { secretDigest } from '../../base/secretDigest.js'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { Failure } from '../../../store/model/failure.js'
import { checkPassword } from '../../auth/passwordCheck.js'
import { recoveryCodeHolder } from '../../call/callers.js'
import { openMethod, type OpenCall } from '../../call/method.js'
import { notifyOwner } from './notice.js'
import { offeredMethods } from './offer.js'
import { mfaIsOff } from './refusals.js'
import { removeEnrolment } from './remove.js'
import type { MailDeps } from '../../mail/mailer.js'

/**
 * The method mfa.recover (docs/interface/mfa.md#removal). One code removes the factor and all codes.
 */
export const recover = openMethod({
  id: 'mfa.recover',
  summary: 'Removes the second factor with a recovery code and the password.',
  http: {
    verb: 'POST',
    path: '/mfa/recover',
    // Does not reveal which accounts exist.
    absentAccount: () => new Failure('invalid-credentials'),
  },
  caller: recoveryCodeHolder,
  input: z.strictObject({
    username: z.string().describe('User name.'),
    password: z.string().describe('Password.'),
    recoveryCode: z.string().describe('One of the recovery codes.'),
    // Clients send the parameters of a login, including this one.
    appId: z.string().optional().describe('Id of the app.'),
  }),
  output: () => z.object({ message: z.string().describe('Explanation.') }),
  notInBatch: true,
  auditedAs: 'valid-password',
  fails: ['invalid-parameters-format', 'invalid-credentials', 'invalid-operation', 'too-many-attempts', 'unavailable-method'],
  async run(call: OpenCall<MailDeps>, input) {
    const { node, account, user, origin, trail, alias } = call
    if (offeredMethods(node.config).length === 0) throw mfaIsOff()
    const isNamed = input.username.toLowerCase() === user.username
    if (!(await checkPassword(node, account, user, input.password, origin, { alias, isNamed }))) throw new Failure('invalid-credentials')
    await account.write((t) => {
      const enrolment = readEnrolment(t, t.account)
      if (enrolment === undefined) throw new Failure('invalid-operation', 'This account has no second factor.')
      if (!isRecoveryCode(enrolment.recoveryCodes, input.recoveryCode)) {
        throw new Failure('invalid-parameters-format', 'The recovery code is wrong.', { id: 'invalid-recovery-code' })
      }
      removeEnrolment(t)
      trail?.stage(t)
    })
    notifyOwner(call, 'recovered')
    return { message: 'The second factor was removed; log in with the password alone.' }
  },
})

/** Checks whether a text matches one of the digests; compares all of them, in constant time. */
function isRecoveryCode(digests: readonly string[], text: string): boolean {
  const digest = secretDigest(text.trim().toLowerCase())
  return digests.filter((each) => constantTimeEqual(each, digest)).length > 0
}
