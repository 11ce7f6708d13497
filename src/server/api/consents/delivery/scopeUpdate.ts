/**
 * Decisions of a person about the permissions of a relationship: the answer to a request, or a change of their own
 * (docs/interface/messages.md#scope-changes). Applied before the other account is notified.
 */
import { listManaged } from '../../../../store/accesses/accesses.js'
import type { Transaction } from '../../../../store/engine/account.js'
import { putTask } from '../../../../store/accesses/consentTasks.js'
import { findEvent } from '../../../../store/events/events.js'
import type { Permission } from '../../../../store/model/access.js'
import { isCmcStream } from '../../../../store/model/cmc.js'
import { counterpartyOf } from '../../../../store/model/consentAccess.js'
import { Failure } from '../../../../store/model/failure.js'
import { updateAccess } from '../../accesses/updateAccess.js'
import { ownPermissions } from '../peerNotices.js'
import { objectOf, textOf } from '../objects.js'
import { stampEvent, type Stamps } from '../stamp.js'
import { addressee, destinationOf } from './channelMessage.js'
import { deliverFor } from './delivery.js'
import { judgeAnswer, judgeOwn, type ScopeDecision } from './scopeDecision.js'
import { failed, type Handler, type Outcome, type Job } from './jobTypes.js'
import { findLiveAccess, writerOf } from './writers.js'

/** The applied decision, stored in the task for retries of the notification. */
interface Applied {
  accessId: string
  notified: Record<string, unknown>
}

/** Returns a stored decision. Tasks of earlier builds have the message under another name. */
const appliedOf = (stored: { accessId: string; notified?: unknown }): Applied => ({
  accessId: stored.accessId,
  notified: objectOf(stored.notified ?? (stored as Record<string, unknown>)['told']),
})

export const scopeUpdate: Handler = async (work) => {
  const former = objectOf(work.task.payload?.['applied'])
  const applied = typeof former['accessId'] === 'string' ? appliedOf({ ...former, accessId: former['accessId'] }) : await decided(work)
  return 'is' in applied ? applied : notify(work, applied)
}

/** Applies a decision and records it in one transaction; returns the outcome on failure. */
async function decided(work: Job): Promise<Applied | Outcome> {
  const { account, event } = work
  const channel = await addressee(work, 'collectors')
  const content = objectOf(event.content)
  const isAnswer = textOf(content['scopeRequestEventId']) !== undefined && typeof content['accept'] === 'boolean'
  // The request identifies the account to notify, even if the two have other relationships.
  if ('is' in channel && !isAnswer && content['accessId'] === undefined) return channel
  try {
    return await account.exclusively(async (write) => {
      const judged = isAnswer ? judgeAnswer(work) : judgeOwn(work, 'is' in channel ? undefined : channel.live.access.id)
      if ('is' in judged) return judged
      const children = await listManaged(account, work.node.store.seal, judged.accessId)
      return write((t) => apply(work, t, judged, children))
    })
  } catch (error) {
    if (error instanceof Failure) return failed('cmc-insufficient-permissions', error.toJSON())
    if (work.signal.aborted) throw error
    return { is: 'failed', reason: 'cmc-scope-update-local-apply-failed', detail: { error: String(error) }, mayRetry: true }
  }
}

function apply(work: Job, t: Transaction, judged: ScopeDecision, children: Awaited<ReturnType<typeof listManaged>>): Applied | Outcome {
  const { node, account, event } = work
  const { accessId, request, permissions } = judged
  const live = findLiveAccess(work, t, accessId)
  const writer = writerOf(work, t)
  if (live === undefined) return failed('cmc-scope-update-target-not-counterparty')
  if (writer?.type !== 'personal') return failed('cmc-insufficient-permissions')
  if (request !== undefined) {
    const { status } = objectOf(findEvent(t, t.account, request.id)?.content)
    if (status === 'accepted' || status === 'refused') return failed('cmc-scope-request-already-answered')
    stampEvent(node, t, request.id, { status: permissions === undefined ? 'refused' : 'accepted', responseEventId: event.id })
  }
  const stamps: Stamps = { accessId, applied: permissions !== undefined }
  if (permissions !== undefined) {
    const before = live.access.permissions ?? []
    const maker = { node, account, author: event.createdBy }
    const after = updateAccess(maker, t, live, children, { permissions: [...permissions, ...machinery(before)] })
    stamps['previousPermissions'] = ownPermissions(before)
    stamps['newPermissions'] = ownPermissions(after.access.permissions)
  }
  stampEvent(node, t, event.id, stamps)
  const answered = request === undefined ? {} : { scopeRequestEventId: request.id, accept: permissions !== undefined }
  const applied: Applied = { accessId, notified: { ...answered, ...stamps } }
  putTask(t, node.store.seal, { ...work.task, payload: { ...work.task.payload, applied } })
  return applied
}

/** Returns the permissions for communication between the two accounts, which requests cannot change. */
const machinery = (permissions: readonly Permission[]): Permission[] =>
  permissions.filter((permission) => 'streamId' in permission && isCmcStream(permission.streamId))

async function notify(work: Job, { accessId, notified: content }: Applied): Promise<Outcome> {
  const live = findLiveAccess(work, work.account.db, accessId)
  const mark = live === undefined ? undefined : counterpartyOf(live.access)
  if (mark === undefined) return failed('cmc-system-counterparty-access-not-found')
  const destination = destinationOf(mark, 'collectors')
  return 'is' in destination ? destination : deliverFor(work, destination, content)
}
