/** Replacing accesses by new ones of their name: those that have expired, and those of an app that is given another. */
import { accessNamed, findAccess, type LiveAccess } from '../../store/accesses/accesses.js'
import type { Transaction } from '../../store/engine/account.js'
import { isExpired, type Access } from '../../store/model/access.js'
import { isNodeLocalAccess } from '../../store/model/delegation.js'
import { endRelation } from '../consent/ending.js'
import type { Call } from '../method.js'
import { isManagedBy, assertNameFree } from './rules.js'
import { revokeWithManaged } from './revoke.js'

/** By what accesses are told apart: no two of an account have the same. */
export type AccessName = Pick<Access, 'type' | 'name' | 'deviceName'>

/**
 * Finds the expired access whose name a new one of the caller takes over: the caller could delete it. Undefined when the name is free
 * or held by another access. Sessions, links to offers and what belongs to a delegation are not replaced.
 */
export function replaceableAccess(call: Call, reader: { get(key: string): string | undefined }, named: AccessName): LiveAccess | undefined {
  const { account, node, caller } = call
  const holder = accessNamed(reader, account.prefix, named)
  const live = holder === undefined ? undefined : findAccess(reader, node.store.seal, account.prefix, holder)
  if (live === undefined || !isExpired(live.access, node.clock.now()) || isNodeLocalAccess(live.access)) return undefined
  return caller.scope.personal || isManagedBy(call, live.access) ? live : undefined
}

/**
 * Stages that a new access takes the place of the expired one of its name, with what that manages.
 * @throws Failure `item-already-exists` when another access has the name
 */
export function takeName(call: Call, t: Transaction, access: Access, managed: readonly LiveAccess[]): void {
  const former = replaceableAccess(call, t, access)
  if (former === undefined) assertNameFree(t, access)
  else endReplaced(call, t, former, managed)
}

/** Stages the end of an access that a new one replaces, of what it manages, and of the relationships that rest on them. */
export function endReplaced({ node, user }: Call, t: Transaction, former: LiveAccess, managed: readonly LiveAccess[]): void {
  const at = node.clock.now()
  const related = revokeWithManaged(node, t, former, managed)
  for (const { access } of [former, ...related]) endRelation(node, t, user.username, access, { by: 'accesses.delete' }, at)
}
