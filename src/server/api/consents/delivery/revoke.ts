/** Ends a relationship at the request of this account (docs/interface/consents.md#end-of-a-relationship). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveAccess } from '../../../../store/accesses/accesses.js'
import { findTask, putTask, removeTask } from '../../../../store/accesses/consentTasks.js'
import type { Transaction } from '../../../../store/engine/account.js'
import { capabilityOf, isCounterparty, peerSlug, type CapabilityMark } from '../../../../store/model/consentAccess.js'
import { accessIdOf, parseAccessId, type Access } from '../../../../store/model/access.js'
import { compileScope, feature } from '../../../../store/model/permission.js'
import { listDependents } from '../../accesses/dependents.js'
import { revokeWithManaged } from '../../accesses/revoke.js'
import { endRelation, noteEnding } from '../ending.js'
import { identityOf } from '../identity.js'
import { withdrawLink } from '../linkEnding.js'
import { revokeOf, schedulePeerNotice, PEER_NOTICE, type PeerNotice } from '../peerNotices.js'
import { objectOf, textOf } from '../objects.js'
import { messageId, type Delivered } from './peerClient.js'
import { noticeStamps, notifyPeerOnce } from './notifyPeer.js'
import { isTemporary } from './undelivered.js'
import { failed, type Handler, type Outcome, type Job } from './jobTypes.js'
import { authorAccessId, findLiveAccess, writerOf } from './writers.js'

const MAX_TRIES = 3
const PAUSE_MS = 200
/** Delay in seconds before the task retries after the immediate attempts fail. */
const LATER_S = 60

type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>

const realPause: Pause = (ms, signal) => sleep(ms, undefined, { signal })

/** Ends the relationship of an access and notifies the other account; or withdraws the link, if the access is one. */
const createRevoke =
  (pause: Pause = realPause): Handler =>
  async (work) => {
    const id = messageId(peerSlug(identityOf(work.node, work.user.username)), work.event.id, 'revoke')
    const former = endedOf(work)
    const ended = former ?? (await end(work, id))
    if ('is' in ended) return ended
    const notified = ended.isReachable ? await notifyNow(work, id, former !== undefined, pause) : noticeStamps(undefined)
    return { is: 'completed', stamps: { ...notified, ...(ended.related.length === 0 ? {} : { relatedDeletions: ended.related.map((related) => ({ id: related })) }) } }
  }

export const revoke = createRevoke()

/** An ended relationship, and whether the other account can be notified. */
interface EndedRelationship {
  isReachable: boolean
  /** Ids of the dependent accesses that ended with it. */
  related: string[]
}

/** Returns the progress of an earlier attempt, stored in the task. */
function endedOf({ task }: Job): EndedRelationship | undefined {
  const { ended, isReachable, related } = objectOf(task.payload)
  return ended === true ? { isReachable: isReachable === true, related: Array.isArray(related) ? related.map(String) : [] } : undefined
}

/** Ends the relationship and schedules the notice in one transaction; returns the outcome on failure. */
async function end(work: Job, messageId: string): Promise<EndedRelationship | Outcome> {
  const { node, account, event } = work
  const { accessId, reason } = objectOf(event.content)
  const id = textOf(accessId) ?? ''
  try {
    return await account.exclusively(async (write) => {
      const found = findLiveAccess(work, account.db, id)
      const managed = found === undefined ? [] : await listDependents(work, found.access)
      return write((t): EndedRelationship | Outcome => {
        const target = findLiveAccess(work, t, id)
        const link = target === undefined ? undefined : capabilityOf(target.access)
        if (target !== undefined && link !== undefined) return endLink(work, t, target, link, reason)
        if (target === undefined || !isCounterparty(target.access)) return failed('cmc-revoke-counterparty-access-not-found')
        if (!mayEnd(writerOf(work, t), target.access)) return failed('cmc-revoke-forbidden')
        const at = node.clock.now()
        const related: LiveAccess[] = revokeWithManaged(node, t, target, managed)
        noteEnding(node, t, target.access, { by: 'revoke-cmc', revokeEventId: event.id }, at)
        for (const { access } of related) endRelation(node, t, work.user.username, access, { by: 'accesses.delete' }, at)
        const notice = revokeOf(node, work.user.username, target.access, messageId, reason)
        if (notice !== undefined) schedulePeerNotice(node, t, { notice: PEER_NOTICE, ...notice, eventId: event.id }, at + LATER_S)
        const ended: EndedRelationship = { isReachable: notice !== undefined, related: related.map((live) => accessIdOf(live.access)) }
        putTask(t, node.store.seal, { ...work.task, payload: { ...work.task.payload, ended: true, ...ended } })
        return ended
      })
    })
  } catch (error) {
    if (work.signal.aborted) throw error
    node.log.error('failed to end an access', { access: id, error: String(error) })
    return { is: 'failed', reason: 'cmc-revoke-delete-failed', detail: { accessIds: [id] }, mayRetry: true }
  }
}

/**
 * Withdraws a link before it is accepted. Of a simultaneous revoke and accept, the first succeeds: both check the state of the
 * link in their transaction.
 */
function endLink(work: Job, t: Transaction, link: LiveAccess, { capability }: CapabilityMark, reason: unknown): Outcome {
  const writer = writerOf(work, t)
  const isMaker = writer !== undefined && parseAccessId(authorAccessId(link.access.createdBy)).base === writer.id
  if (writer?.type !== 'personal' && !isMaker) return failed('cmc-revoke-forbidden')
  if (capability.state === 'consumed') return failed('cmc-capability-consumed', { stateChangedAt: capability.stateChangedAt })
  withdrawLink(work.node, t, link, reason)
  return { is: 'completed' }
}

/** Checks whether the writer could delete the access by accesses.delete. */
function mayEnd(writer: Access | undefined, target: Access): boolean {
  if (writer === undefined) return false
  if (writer.type === 'personal') return true
  if (writer.id === target.id) return feature(compileScope(writer, false), 'selfRevoke') !== 'forbidden'
  return target.manager === writer.id
}

/** Notifies the other account in a few attempts; on failure, the scheduled notice remains. */
async function notifyNow(work: Job, id: string, isAgain: boolean, pause: Pause): Promise<ReturnType<typeof noticeStamps>> {
  const { node, account, signal } = work
  const staged = findTask(account.db, node.store.seal, account.prefix, id)
  // An earlier attempt notified the peer but did not record it.
  if (staged === undefined) return { peerNotified: true }
  const { endpoint, message } = staged.payload as unknown as PeerNotice
  let delivered: Delivered
  for (let tried = 1; ; tried++) {
    delivered = await notifyPeerOnce(work, endpoint, message, isAgain || tried > 1)
    if (delivered.is !== 'failed' || !isTemporary(delivered) || tried === MAX_TRIES) break
    await pause(PAUSE_MS * tried, signal)
  }
  if (delivered.is !== 'failed' || !isTemporary(delivered)) await account.write((t) => removeTask(t, id))
  return noticeStamps(delivered)
}
