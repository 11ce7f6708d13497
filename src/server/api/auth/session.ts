/** Sessions: personal accesses of logins, valid while their session is (docs/interface/auth.md#sessions). */
import type { Account, Transaction } from '../../../store/engine/account.js'
import { findPersonalAccess, putAccess, putSession, sessionExpiry, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Access } from '../../../store/model/access.js'
import { DELEGATE_NAME } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { readUser, type User } from '../../../store/accounts/users.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import type { CallRecorder } from '../../audit/auditEntry.js'
import type { Context } from '../../call/context.js'

/** Returns the end of a session used at `now`, in seconds. */
export const sessionEnd = (node: Context, now: number): number => now + node.config.get('auth.sessionMaxAge') / 1000

/** Creates the personal access of an app, and its session. */
export function openSession(node: Context, t: Transaction, appId: string, former?: LiveAccess): Secret<string> {
  const now = node.clock.now()
  const token = new Secret(node.newId())
  const access: Access = {
    id: former?.access.id ?? node.newId(),
    type: 'personal',
    name: appId,
    created: former?.access.created ?? now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system',
  }
  putAccess(t, node.store.seal, withAccessIntegrity(node, access, token), token, former)
  putSession(t, access.id, sessionEnd(node, now))
  return token
}

/**
 * Returns the token of an app's live session, or of a new one. Simultaneous logins of one app get the same token.
 * `user` is the state in which the password was verified; the session is refused if the password changed since.
 * @throws Failure `invalid-credentials` when the password was changed since, `invalid-operation` for the name of a
 * delegate's token, whose session is not the owner's
 */
export function sessionFor(
  node: Context,
  account: Account,
  user: User,
  appId: string,
  trail?: CallRecorder,
): Promise<Secret<string>> {
  if (appId.startsWith(DELEGATE_NAME)) {
    throw new Failure('invalid-operation', `The app name "${appId}" is reserved for delegates.`, { id: 'delegation-managed-resource' })
  }
  return account.exclusively(async (write) => {
    const now = node.clock.now()
    if (readUser(account.db, account.prefix)?.passwordHash !== user.passwordHash) throw new Failure('invalid-credentials')
    const found = findPersonalAccess(account.db, node.store.seal, account.prefix, appId)
    const expires = found === undefined ? undefined : sessionExpiry(account.db, account.prefix, found.access.id)
    return write((t) => {
      trail?.stage(t)
      if (found === undefined || expires === undefined || expires <= now) return openSession(node, t, appId, found)
      putSession(t, found.access.id, sessionEnd(node, now))
      return found.token
    })
  })
}
