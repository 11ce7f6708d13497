/** Giving an account a new password, and ending what the former one had opened (accounts supplement 6, 7.3, 7.5). */
import type { Transaction } from '../../store/engine/account.js'
import { putSession } from '../../store/accesses/accesses.js'
import { putFailureCounter } from '../../store/accounts/rateLimitCounters.js'
import { endResetToken } from '../../store/accounts/passwordReset.js'
import { putUser, readUser, type User } from '../../store/accounts/users.js'
import { hashPassword, assertPasswordNotReused, assertPasswordStrength, withPassword } from '../guard/password.js'
import type { Node } from '../node.js'

/** The hash of a new password; refuses what the rules of length, mix and reuse do. */
export async function hashNewPassword({ config }: Node, user: User, password: string): Promise<string> {
  assertPasswordStrength(config, password)
  await assertPasswordNotReused(config, user, password)
  return hashPassword(password)
}

/**
 * Stages a new password, the end of the sessions of these accesses, and that of a reset token. Answers whether it did:
 * not when the password is no longer the one that `checked` had, on which the rules were applied.
 */
export function replacePassword(
  node: Node,
  t: Transaction,
  checked: User,
  passwordHash: string,
  sessions: readonly string[],
): boolean {
  const user = readUser(t, t.account)
  if (user === undefined || user.passwordHash !== checked.passwordHash) return false
  putUser(t, withPassword(user, passwordHash, node.clock.now()), 'update')
  for (const accessId of sessions) putSession(t, accessId, undefined)
  endResetToken(t)
  putFailureCounter(t, 'password', undefined)
  return true
}
