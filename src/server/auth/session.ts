/** Sessions: a login's personal access, alive while its session is (accounts supplement 2). */
import type { Account } from '../../store/account.js'
import { findPersonalAccess, putAccess, putSession, sessionExpiry } from '../../store/accesses.js'
import type { Access } from '../../store/model/access.js'
import { accessIntegrity } from '../../store/model/integrity.js'
import { Secret } from '../../store/model/secret.js'
import type { Transaction } from '../../store/account.js'
import type { Node } from '../node.js'

/** When a session used at `now` ends, in seconds. */
export const sessionEnd = (node: Node, now: number): number => now + node.config.get('auth.sessionMaxAge') / 1000

/** A new personal access of an app, and its session. */
export function openSession(node: Node, t: Transaction, appId: string, former?: Access, formerToken?: string): Secret<string> {
  const now = node.clock.now()
  const token = new Secret(node.newId())
  const access: Access = {
    id: former?.id ?? node.newId(),
    type: 'personal',
    name: appId,
    created: former?.created ?? now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system',
  }
  if (node.config.get('integrity.isActive.accesses')) {
    access.integrity = accessIntegrity({ ...access, token: token.reveal() }, node.config.get('integrity.algorithm'))
  }
  putAccess(t, node.store.seal, access, token, formerToken)
  putSession(t, access.id, sessionEnd(node, now))
  return token
}

/**
 * The token of an app's live session, or of a new one. Simultaneous logins of one app get the one token that is kept.
 */
export function sessionFor(node: Node, account: Account, appId: string): Promise<Secret<string>> {
  return account.exclusively(async (write) => {
    const now = node.clock.now()
    const found = await findPersonalAccess(account, node.store.seal, appId)
    const expires = found === undefined ? undefined : sessionExpiry(account.db, account.prefix, found.access.id)
    if (found !== undefined && expires !== undefined && expires > now) {
      await write((t) => putSession(t, found.access.id, sessionEnd(node, now)))
      return found.token
    }
    return write((t) => openSession(node, t, appId, found?.access, found?.token.reveal()))
  })
}
