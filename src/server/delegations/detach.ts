/** What ends with a relationship on the controlled account (consent supplement 6.3). */
import { listAccesses, putAccess, type LiveAccess } from '../../store/accesses.js'
import type { Transaction } from '../../store/account.js'
import { delegates } from '../../store/delegations.js'
import { findEvent, replaceEvent } from '../../store/events.js'
import type { Access } from '../../store/model/access.js'
import { MARKER, markerOf } from '../../store/model/delegation.js'
import type { Event } from '../../store/model/event.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import { withdraw } from '../accesses/withdraw.js'
import { withIntegrity } from '../eventIntegrity.js'
import type { Call } from '../method.js'
import { tellRequesters } from './requesters.js'

type Write = <R>(change: (t: Transaction) => R) => Promise<R>

/** What an access says of the consent that it was granted by; undefined of others. */
function consentOf({ clientData }: Access): { acceptEventId?: unknown } | undefined {
  const cmc = clientData?.['cmc'] as { role?: unknown; acceptEventId?: unknown } | null | undefined
  return cmc?.role === 'counterparty' ? cmc : undefined
}

/** Whether an access is a consent grant that was given by a relationship: these can be kept. */
export const isGrantOf = (access: Access, relId: string): boolean =>
  consentOf(access) !== undefined && isOf(access, relId) && markerOf(access)?.kind === 'delegated-child'

const isOf = (access: Access, relId: string): boolean => markerOf(access)?.relId === relId

/**
 * Ends a relationship, in one transaction: the delegate's token and session, what was granted with it and by that, the
 * accesses of the relationship itself, and the anchor. The grants to `keep`, by base id, become the owner's own. Runs
 * while nobody else writes to the account.
 */
export async function detach(call: Call, write: Write, relId: string, keep: ReadonlySet<string>): Promise<void> {
  const { node, account } = call
  const { ended, kept } = partedBy(await listAccesses(account, node.store.seal), relId, keep)
  const at = node.clock.now()
  await write((t) => {
    for (const live of kept) makeOwn(call, t, live, at)
    for (const live of ended) {
      withdraw(node, t, live, at)
      if (isGrantOf(live.access, relId)) {
        stampAccept(call, t, live.access, at, { withdrawal: { at, by: 'delegation-detach', relId } })
      }
    }
    delegates.remove(t, relId)
  })
  tellRequesters(node, ended.filter(({ access }) => consentOf(access) !== undefined))
}

/** The accesses that end with a relationship, the delegate's token first, and those that stay without it. */
function partedBy(all: readonly LiveAccess[], relId: string, keep: ReadonlySet<string>): { ended: LiveAccess[]; kept: LiveAccess[] } {
  const kept = all.filter(({ access }) => keep.has(access.id) && isOf(access, relId))
  const stays = new Set(kept.map(({ access }) => access.id))
  const ended = all.filter(({ access }) => isOf(access, relId) && !stays.has(access.id))
  const gone = new Set(ended.map(({ access }) => access.id))
  // What an app shared goes with the app, as when the app alone is deleted.
  for (let at = 0; at < ended.length; at++) {
    const parent = ended[at]?.access.id
    for (const live of all) {
      const { id, manager } = live.access
      if (manager === undefined || manager !== parent || gone.has(id) || stays.has(id)) continue
      gone.add(id)
      ended.push(live)
    }
  }
  const isToken = ({ access }: LiveAccess): boolean => markerOf(access)?.kind === 'delegate-pat'
  return { ended: [...ended.filter(isToken), ...ended.filter((live) => !isToken(live))], kept }
}

/** Makes a grant the owner's own: nothing of it changes but whose it is, and that no app of the delegate bounds it. */
function makeOwn(call: Call, t: Transaction, live: LiveAccess, at: number): void {
  const { node, author } = call
  const { clientData = {}, manager: _, ...rest } = live.access
  const { [MARKER]: _marker, ...others } = clientData
  const own: Access = { ...rest, clientData: others, modified: at, modifiedBy: author }
  putAccess(t, node.store.seal, withAccessIntegrity(node, own, live.token), live.token, live)
  stampAccept(call, t, live.access, at, { ownerConfirmedAt: at })
}

/** Notes in the event by which a consent was given what became of it; what was noted before stays. */
function stampAccept(call: Call, t: Transaction, access: Access, at: number, stamp: Record<string, unknown>): void {
  const { node, author } = call
  const { acceptEventId } = consentOf(access) ?? {}
  const before = typeof acceptEventId === 'string' ? findEvent(t, t.account, acceptEventId) : undefined
  const content = before?.content
  if (before === undefined || typeof content !== 'object' || content === null || Array.isArray(content)) return
  const after: Event = { ...before, content: { ...stamp, ...content }, modified: at, modifiedBy: author }
  replaceEvent(t, node.store.recorder, before, withIntegrity(call, after), node.config.get('versioning.forceKeepHistory'))
}
