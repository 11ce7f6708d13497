/**
 * Unsolicited notices to the peer when its access changes (docs/interface/messages.md#changes-of-an-access,
 * docs/interface/consents.md#end-of-a-relationship). Written in the same transaction, sent after commit.
 */
import type { Transaction } from '../../../store/engine/account.js'
import { addEvent } from '../../../store/events/events.js'
import { accessIdOf, type Access, type Permission } from '../../../store/model/access.js'
import { channelStreamOf, CMC_INBOX, isCmcStream } from '../../../store/model/cmc.js'
import { counterpartyOf, peerSlug, type CounterpartyMark } from '../../../store/model/consentAccess.js'
import type { Event } from '../../../store/model/event.js'
import { withIntegrity } from '../shared/integrity.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { identityOf } from './identity.js'
import { scheduleTask } from './tasks.js'
import { REVOKE, SCOPE_UPDATE } from './types.js'
import type { ConsentDeps } from './service.js'

/** Kind of the tasks that notify a peer. Stored on disk. */
export const PEER_NOTICE = 'tell'

/** Payload of a peer notice task. */
export interface PeerNotice {
  notice: typeof PEER_NOTICE
  /** The peer's endpoint, with its token. */
  endpoint: string
  message: { id: string; streamIds: string[]; type: string; content: Record<string, unknown> }
  /** Event of this account that records whether the peer was notified. */
  eventId?: string
}

/** Returns the endpoint of a peer; undefined until it is known. */
export const endpointOf = ({ counterparty, backChannelApiEndpoint }: CounterpartyMark): string | undefined =>
  counterparty.apiEndpoint ?? backChannelApiEndpoint ?? undefined

/** Returns the permissions granted by the user, without those for messages between the two accounts. */
export const ownPermissions = (permissions: readonly Permission[] = []): Permission[] =>
  permissions.filter((permission) => !('streamId' in permission && isCmcStream(permission.streamId)))

/** Stages a notice to the peer about the new version of its access, and an event that records the change. */
export function notifyAccessChange(call: Call<ConsentDeps>, t: Transaction, before: Access, after: Access): void {
  const { node, user } = call
  const mark = counterpartyOf(after)
  if (mark === undefined) return
  const newPermissions = ownPermissions(after.permissions)
  const content = {
    source: 'post-hook',
    accessId: after.id,
    previousPermissions: ownPermissions(before.permissions),
    // The type has no empty list: a missing one means that no permissions remain.
    ...(newPermissions.length === 0 ? {} : { newPermissions }),
    newAccessId: accessIdOf(after),
  }
  recordChange(call, t, mark, content)
  const endpoint = endpointOf(mark)
  const { remoteCollectorStreamId } = mark.counterparty
  if (endpoint === undefined || remoteCollectorStreamId === undefined) return
  const from = identityOf(node, user.username)
  const message = { id: node.newId(), streamIds: [remoteCollectorStreamId], type: SCOPE_UPDATE, content: { ...content, from } }
  schedulePeerNotice(node, t, { notice: PEER_NOTICE, endpoint, message })
}

/** Writes a record of the change to the collector channel or the scope stream of the relationship, if there is one. */
function recordChange(call: Call, t: Transaction, mark: CounterpartyMark, content: Record<string, unknown>): void {
  const { node, account, author } = call
  const scope = mark.scopeStreamId
  if (scope === undefined) return
  const streamId = [channelStreamOf(scope, 'collectors', peerSlug(mark.counterparty)), scope].find((id) => account.tree.has(id))
  if (streamId === undefined) return
  const now = node.clock.now()
  const event: Event = {
    ...{ id: node.newId(), streamIds: [streamId], type: SCOPE_UPDATE, time: now, tags: [], content },
    ...{ created: now, createdBy: author, modified: now, modifiedBy: author },
  }
  addEvent(t, node.store.recorder, withIntegrity(call, event))
}

/** Returns the revocation notice for a peer whose access ended; undefined when the peer has no known endpoint. */
export function revokeOf(
  node: Context,
  username: string,
  access: Access,
  id: string,
  reason?: unknown,
): Omit<PeerNotice, 'notice'> | undefined {
  const mark = counterpartyOf(access)
  const endpoint = mark === undefined ? undefined : endpointOf(mark)
  if (mark === undefined || endpoint === undefined) return undefined
  const { appCode, scopeStreamId, offerEventId, acceptEventId } = mark
  const about = { accessId: access.id, from: identityOf(node, username), reason, appCode, scopeStreamId, offerEventId, acceptEventId }
  const content = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined))
  return { endpoint, message: { id, streamIds: [CMC_INBOX], type: REVOKE, content } }
}

/** Stages a notice to a peer; `due` in seconds, immediately by default. */
export function schedulePeerNotice(node: Context & ConsentDeps, t: Transaction, notice: PeerNotice, due = node.clock.now()): void {
  scheduleTask(node, t, { id: notice.message.id, kind: 'notice', attempts: 0, due, payload: { ...notice } })
}
