/**
 * What the other account of a relationship is told of its access without that somebody asked for it by a message (consent
 * supplement 1.16, 1.17). Kept with the change itself, so that no crash loses it, and sent once that is on disk.
 */
import type { Transaction } from '../../store/engine/account.js'
import { addEvent } from '../../store/events/events.js'
import { accessIdOf, type Access, type Permission } from '../../store/model/access.js'
import { channelStreamOf, CMC_INBOX, isCmcStream } from '../../store/model/cmc.js'
import { counterpartyOf, peerSlug, type CounterpartyMark } from '../../store/model/consentAccess.js'
import type { Event } from '../../store/model/event.js'
import { withIntegrity } from '../eventIntegrity.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'
import { identityOf } from './identity.js'
import { scheduleTask } from './tasks.js'
import { REVOKE, SCOPE_UPDATE } from './types.js'

/** The name of the tasks that tell the other account something. */
export const PEER_NOTICE = 'tell'

/** What is to be told, as its task keeps it. */
export interface PeerNotice {
  notice: typeof PEER_NOTICE
  /** How the other account is reached, with the token that it gave. */
  endpoint: string
  message: { id: string; streamIds: string[]; type: string; content: Record<string, unknown> }
  /** An event of this account that says whether the other one was told. */
  eventId?: string
}

/** How the other account of a relationship is reached; undefined until it has said. */
export const endpointOf = ({ counterparty, backChannelApiEndpoint }: CounterpartyMark): string | undefined =>
  counterparty.apiEndpoint ?? backChannelApiEndpoint ?? undefined

/** The permissions that a person gave, without those by which the two accounts reach each other. */
export const ownPermissions = (permissions: readonly Permission[] = []): Permission[] =>
  permissions.filter((permission) => !('streamId' in permission && isCmcStream(permission.streamId)))

/** Stages that the other account is told that its access has another version, and a record of that. */
export function notifyAccessChange(call: Call, t: Transaction, before: Access, after: Access): void {
  const { node, user } = call
  const mark = counterpartyOf(after)
  if (mark === undefined) return
  const newPermissions = ownPermissions(after.permissions)
  const content = {
    source: 'post-hook',
    accessId: after.id,
    previousPermissions: ownPermissions(before.permissions),
    // The type has no empty list: a missing one says that nothing is left.
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

/** Leaves an event on the account itself, where the relationship has a stream for such. */
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

/** What the other account hears when its access has ended; undefined where it cannot be reached. */
export function revokeOf(
  node: Node,
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

/** Stages that something is told; `due` in seconds, at once without. */
export function schedulePeerNotice(node: Node, t: Transaction, notice: PeerNotice, due = node.clock.now()): void {
  scheduleTask(node, t, { id: notice.message.id, kind: 'notice', attempts: 0, due, payload: { ...notice } })
}
