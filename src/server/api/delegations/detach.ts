/** Ends a delegation on the controlled account (docs/interface/delegations.md#detaching). */
import { listAccesses, putAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { delegates } from '../../../store/accesses/delegations.js'
import type { Access } from '../../../store/model/access.js'
import { isCounterparty } from '../../../store/model/consentAccess.js'
import { MARKER, markerOf } from '../../../store/model/delegation.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import { revoke } from '../accesses/revoke.js'
import { endRelation, stampAccept } from '../consents/ending.js'
import type { Call } from '../../call/method.js'
import type { ConsentDeps } from '../consents/service.js'

type Write = <R>(change: (t: Transaction) => R) => Promise<R>

/** Checks whether an access is a consent grant created through a relationship. Only these can be kept. */
export const isGrantOf = (access: Access, relId: string): boolean =>
  isCounterparty(access) && isOf(access, relId) && markerOf(access)?.kind === 'delegated-child'

const isOf = (access: Access, relId: string): boolean => markerOf(access)?.relId === relId

/**
 * Ends a relationship in one transaction: the delegate's token and session, the accesses granted through it, its managed
 * accesses, and the anchor. The grants to `keep`, by base id, become the owner's own. Requires exclusive write access.
 */
export async function detach(call: Call<ConsentDeps>, write: Write, relId: string, keep: ReadonlySet<string>): Promise<void> {
  const { node, account } = call
  const { ended, kept: stored } = splitByKeepList(await listAccesses(account, node.store.seal), relId, keep)
  const at = node.clock.now()
  await write((t) => {
    for (const live of stored) makeOwn(call, t, live, at)
    for (const live of ended) {
      revoke(node, t, live, at)
      endRelation(node, t, call.user.username, live.access, { by: 'delegation-detach', relId }, at)
    }
    delegates.remove(t, relId)
  })
}

/** Splits accesses into those that end with a relationship, the delegate's token first, and those that remain. */
function splitByKeepList(all: readonly LiveAccess[], relId: string, keep: ReadonlySet<string>): { ended: LiveAccess[]; kept: LiveAccess[] } {
  const stored = all.filter(({ access }) => keep.has(access.id) && isOf(access, relId))
  const stays = new Set(stored.map(({ access }) => access.id))
  const ended = all.filter(({ access }) => isOf(access, relId) && !stays.has(access.id))
  const endedIds = new Set(ended.map(({ access }) => access.id))
  // Accesses shared by an app end with the app, as when only the app is deleted.
  for (let at = 0; at < ended.length; at++) {
    const parent = ended[at]?.access.id
    for (const live of all) {
      const { id, manager } = live.access
      if (manager === undefined || manager !== parent || endedIds.has(id) || stays.has(id)) continue
      endedIds.add(id)
      ended.push(live)
    }
  }
  const isToken = ({ access }: LiveAccess): boolean => markerOf(access)?.kind === 'delegate-pat'
  return { ended: [...ended.filter(isToken), ...ended.filter((live) => !isToken(live))], kept: stored }
}

/** Makes a grant the owner's own: removes its delegation marker and its manager, and changes nothing else. */
function makeOwn(call: Call, t: Transaction, live: LiveAccess, at: number): void {
  const { node, author } = call
  const { clientData = {}, manager: _, ...rest } = live.access
  const { [MARKER]: _marker, ...others } = clientData
  const own: Access = { ...rest, clientData: others, modified: at, modifiedBy: author }
  putAccess(t, node.store.seal, withAccessIntegrity(node, own, live.token), live.token, live)
  stampAccept(node, t, live.access, { ownerConfirmedAt: at })
}
