import * as z from 'zod'
import { NO_DIGEST, secretDigest } from '../../base/secretDigest.js'
import { listAccesses, listSessions } from '../../../store/accesses/accesses.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { isGenuine } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { readPasswordReset } from '../../../store/accounts/credentials.js'
import { readUser } from '../../../store/accounts/users.js'
import { revoke } from '../accesses/revoke.js'
import { hashNewPassword, replacePassword } from '../auth/newPassword.js'
import { NewPassword } from '../auth/schema.js'
import { assertPasswordAge } from '../../auth/password.js'
import { assertTrustedApp } from '../../auth/trustedApp.js'
import { mailRecipient } from '../../call/callers.js'
import { openMethod, type OpenCall } from '../../call/method.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'

/**
 * Route that resets the password. See docs/interface/account.md#password-reset. A password refused by the rules does not use up
 * the token; setting the password does, in one transaction, so one of several simultaneous calls succeeds.
 */
export const resetPassword = openMethod({
  id: 'account.resetPassword',
  summary: 'Sets a new password with a mailed token, and ends all sessions; from trusted origins.',
  http: { verb: 'POST', path: '/account/reset-password' },
  caller: mailRecipient,
  input: z.looseObject({
    appId: z.string().describe('Id of the app; the request must come from an origin trusted for it.'),
    resetToken: z.string().describe('Token of the reset mail, valid once.'),
    newPassword: NewPassword.describe("The new password; must meet the node's password rules."),
  }),
  output: () => z.object({}),
  notInBatch: true,
  auditedAs: 'password-reset-token',
  fails: ['invalid-access-token', 'invalid-credentials', 'invalid-operation', 'unknown-resource'],
  async run(call, { appId, resetToken, newPassword }) {
    assertTrustedApp(call, appId)
    // The rules compare with the current password: check again after a concurrent change.
    while (!(await setPassword(call, resetToken, newPassword)));
    return {}
  },
})

/** Dummy for accounts without a token, so that the check takes the same time. */
const NONE = { digest: NO_DIGEST, expires: 0 }

/** Checks whether a token is the account's valid reset token. */
export function isResetToken(reader: RecordReader, account: string, token: string, now: number): boolean {
  const { digest, expires } = readPasswordReset(reader, account).token ?? NONE
  const isIt = constantTimeEqual(secretDigest(token), digest)
  return isIt && expires > now
}

/** Refuses invalid tokens, always with the same message. @throws Failure `invalid-access-token` */
function assertResetToken(reader: RecordReader, account: string, token: string, now: number): void {
  if (isResetToken(reader, account, token, now)) return
  throw new Failure('invalid-access-token', 'The reset token is unknown, expired or used.', undefined, 'absent')
}

/** Sets the password and ends the token. Returns false when the password changed meanwhile and the rules must be checked again. */
async function setPassword({ node, account, trail }: OpenCall, resetToken: string, newPassword: string): Promise<boolean> {
  // Check the token first, so that without one nothing is hashed and the rules are not revealed.
  assertResetToken(account.db, account.prefix, resetToken, node.clock.now())
  const user = readUser(account.db, account.prefix)
  if (user === undefined) throw new Failure('unknown-resource')
  assertPasswordAge(node.config, user, node.clock.now())
  const passwordHash = await hashNewPassword(node, user, newPassword)
  return account.exclusively(async (write) => {
    const sessions = await listSessions(account)
    // A delegation's own access stays; its sessions end with the others.
    const personal = (await listAccesses(account, node.store.seal)).filter(({ access }) => isGenuine(access))
    return write((t) => {
      assertResetToken(t, t.account, resetToken, node.clock.now())
      if (!replacePassword(node, t, user, passwordHash, sessions)) return false
      for (const live of personal) revoke(node, t, live, node.clock.now())
      trail?.stage(t)
      return true
    })
  })
}
