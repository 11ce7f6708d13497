import { removeAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { isExpired, type AccessDeletion } from '../../../store/model/access.js'
import { readUser } from '../../../store/accounts/users.js'
import { releaseAliases } from './aliases.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import type { Context } from '../../call/context.js'

/** Stages the end of an access, leaving a deletion record. `deleted` in seconds. */
export function revoke(node: Context, t: Transaction, live: LiveAccess, deleted: number): void {
  const { causal: _, ...access } = live.access
  const deletion: AccessDeletion = withAccessIntegrity(node, { ...access, deleted }, live.token)
  removeAccess(t, node.store.seal, live, deletion)
  if (access.alias === undefined || !node.registry.isShared) return
  const user = readUser(t, t.account)
  if (user !== undefined) t.onSettled(() => releaseAliases(node, user.id, [live]))
}

/** Stages the end of an access and of its unexpired `managed` accesses; returns the latter. */
export function revokeWithManaged(node: Context, t: Transaction, target: LiveAccess, managed: readonly LiveAccess[]): LiveAccess[] {
  const now = node.clock.now()
  // Expired accesses grant nothing; they stay visible to their owner.
  const related = managed.filter((live) => !isExpired(live.access, now))
  for (const live of [target, ...related]) revoke(node, t, live, now)
  return related
}
