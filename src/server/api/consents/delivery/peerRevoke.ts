/** Handles the end of a relationship by the other account (docs/interface/consents.md#end-of-a-relationship). */
import { findAccess, findDeletedAccess, listRelations, type LiveAccess } from '../../../../store/accesses/accesses.js'
import type { Transaction } from '../../../../store/engine/account.js'
import type { Access } from '../../../../store/model/access.js'
import { counterpartyOf, peerSlug, type CounterpartyMark } from '../../../../store/model/consentAccess.js'
import { listDependents } from '../../accesses/dependents.js'
import { revokeWithManaged } from '../../accesses/revoke.js'
import { endRelation, noteEnding } from '../ending.js'
import { objectOf, textOf } from '../objects.js'
import { stampEvent } from '../stamp.js'
import type { Handler, Job } from './jobTypes.js'

/** Ends the relationship of the access that wrote the event; its content has no influence. */
export const peerRevoke: Handler = async (work) => {
  const { node, account, task } = work
  const { seal } = node.store
  const accessId = textOf(task.payload?.['accessId']) ?? ''
  await account.exclusively(async (write) => {
    const own = findAccess(account.db, seal, account.prefix, accessId) ?? findDeletedAccess(account.db, seal, account.prefix, accessId)
    const mark = own === undefined ? undefined : counterpartyOf(own.access)
    if (own === undefined || mark === undefined) return
    const ended = await relationOf(work, own, mark)
    const managed = await Promise.all(ended.map(({ access }) => listDependents(work, access)))
    await write((t) => {
      endAll(work, t, ended, managed)
      const content = objectOf(work.event.content)
      const handles = { ...handlesOf(own.access, mark), revokedAccessIds: ended.map(({ access }) => access.id) }
      // Events of the other account are kept unchanged.
      const missing = Object.entries(handles).filter(([key, value]) => value !== undefined && content[key] === undefined)
      stampEvent(node, t, work.event.id, Object.fromEntries(missing))
    })
  })
  return { is: 'completed' }
}

/** Lists the live accesses of the relationship: the access itself, and those with the same account in the same scope. */
async function relationOf({ node, account }: Job, own: LiveAccess, mark: CounterpartyMark): Promise<LiveAccess[]> {
  const all = await listRelations(account, node.store.seal, peerSlug(mark.counterparty))
  const { scopeStreamId } = mark
  return all.filter(
    ({ access }) => access.id === own.access.id || (scopeStreamId !== undefined && counterpartyOf(access)?.scopeStreamId === scopeStreamId),
  )
}

function endAll({ node, user, event }: Job, t: Transaction, ended: readonly LiveAccess[], managed: readonly LiveAccess[][]): void {
  const at = node.clock.now()
  for (const [index, live] of ended.entries()) {
    const related = revokeWithManaged(node, t, live, managed[index] ?? [])
    noteEnding(node, t, live.access, { by: 'peer-revoke', revokeEventId: event.id }, at)
    for (const { access } of related) endRelation(node, t, user.username, access, { by: 'accesses.delete' }, at)
  }
}

/** Returns the identifiers of the relationship for the report of its end. */
function handlesOf({ id }: Access, mark: CounterpartyMark): Record<string, unknown> {
  const { scopeStreamId, offerEventId, acceptEventId, inviteEventId } = mark
  const isGrant = acceptEventId !== undefined || mark.backChannelApiEndpoint !== undefined
  return isGrant ? { dataGrantAccessId: id, offerEventId, acceptEventId, scopeStreamId } : { backChannelAccessId: id, inviteEventId, scopeStreamId }
}
