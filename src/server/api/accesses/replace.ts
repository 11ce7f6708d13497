/** Replaces accesses by new ones of the same name: expired accesses, and those of an app granted a different one. */
import { accessNamed, findAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'
import { isExpired, type Access } from '../../../store/model/access.js'
import { isNodeLocalAccess } from '../../../store/model/delegation.js'
import { endRelation } from '../consents/ending.js'
import type { Call } from '../../call/method.js'
import { isManagedBy, assertNameFree } from './rules.js'
import { revokeWithManaged } from './revoke.js'
import type { ConsentDeps } from '../consents/service.js'

/** Unique key of an access within an account. */
export type AccessName = Pick<Access, 'type' | 'name' | 'deviceName'>

/**
 * Finds the expired access whose name a new one may take over; the caller must be allowed to delete it. Undefined when the
 * name is free or held by another access. Sessions, offer links and accesses of a delegation are not replaced.
 */
export function replaceableAccess(call: Call, reader: RecordReader, named: AccessName): LiveAccess | undefined {
  const { account, node, caller } = call
  const holder = accessNamed(reader, account.prefix, named)
  const live = holder === undefined ? undefined : findAccess(reader, node.store.seal, account.prefix, holder)
  if (live === undefined || !isExpired(live.access, node.clock.now()) || isNodeLocalAccess(live.access)) return undefined
  return caller.scope.personal || isManagedBy(call, live.access) ? live : undefined
}

/**
 * Stages the end of the expired access of the same name, and of those it manages.
 * @throws Failure `item-already-exists` when another access has the name
 */
export function takeName(call: Call<ConsentDeps>, t: Transaction, access: Access, managed: readonly LiveAccess[]): void {
  if (accessNamed(t, t.account, access) === undefined) return
  const former = replaceableAccess(call, t, access)
  if (former === undefined) assertNameFree(t, access)
  else endReplaced(call, t, former, managed)
}

/** Stages the end of a replaced access, of those it manages, and of the relationships based on them. */
export function endReplaced({ node, user }: Call<ConsentDeps>, t: Transaction, former: LiveAccess, managed: readonly LiveAccess[]): void {
  const at = node.clock.now()
  const related = revokeWithManaged(node, t, former, managed)
  for (const { access } of [former, ...related]) endRelation(node, t, user.username, access, { by: 'accesses.delete' }, at)
}
