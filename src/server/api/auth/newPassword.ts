/** Sets a new password and ends sessions of the former one (docs/interface/account.md). */
import type { Transaction } from '../../../store/engine/account.js'
import { putSession } from '../../../store/accesses/accesses.js'
import { endResetToken, putFailureCounter } from '../../../store/accounts/credentials.js'
import { putUser, readUser, type User } from '../../../store/accounts/users.js'
import { hashPassword, assertPasswordNotReused, assertPasswordStrength, withPassword } from '../../auth/password.js'
import type { Context } from '../../call/context.js'

/** Hashes a new password. @throws when the rules for length, mix or reuse refuse it */
export async function hashNewPassword({ config }: Context, user: User, password: string): Promise<string> {
  assertPasswordStrength(config, password)
  await assertPasswordNotReused(config, user, password)
  return hashPassword(password)
}

/**
 * Stages a new password, and ends the sessions of these accesses and a reset token. Returns false, staging nothing, when
 * the password is no longer the one of `checked`, on which the rules were applied.
 */
export function replacePassword(
  node: Context,
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
