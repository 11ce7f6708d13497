/** Records the end of a relationship in the accept event and in the invite (docs/interface/consents.md#end-of-a-relationship). */
import { findLink } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { findEvent } from '../../../store/events/events.js'
import type { Access } from '../../../store/model/access.js'
import { acceptEventOf, capabilityOf, counterpartyOf, isCapabilityId, isCounterparty } from '../../../store/model/consentAccess.js'
import { isJsonObject } from '../../../store/model/json.js'
import type { Context } from '../../call/context.js'
import { noteLinkEnd } from './linkEnding.js'
import { revokeOf, schedulePeerNotice, PEER_NOTICE } from './peerNotices.js'
import { objectOf } from './objects.js'
import { stampEvent, type Stamps } from './stamp.js'
import type { ConsentDeps } from './service.js'

/** Cause of the end of a relationship, as recorded in the accept event. */
type Ending =
  | { by: 'accesses.delete' }
  /** The trigger, or the event delivered by the peer. */
  | { by: 'revoke-cmc' | 'peer-revoke'; revokeEventId: string }
  | { by: 'delegation-detach'; relId: string }

/** Texts by language code. */
export type LocalText = Readonly<Record<string, string>>

/**
 * Stages the end of the relationship of an access, if any, and a notice to the peer with a reason. For the access of a link,
 * updates its invite.
 */
export function endRelation(node: Context & ConsentDeps, t: Transaction, username: string, access: Access, ending: Ending, at: number, reason?: LocalText): void {
  noteLinkEnd(node, t, access, at, reason)
  if (!isCounterparty(access)) return
  noteEnding(node, t, access, ending, at)
  const notice = revokeOf(node, username, access, node.newId(), reason)
  if (notice !== undefined) schedulePeerNotice(node, t, { notice: PEER_NOTICE, ...notice })
}

/** Stages the records of the end of a relationship. */
export function noteEnding(node: Context, t: Transaction, access: Access, ending: Ending, at: number): void {
  const about = ending.by === 'delegation-detach' ? {} : { accessId: access.id }
  stampAccept(node, t, access, { withdrawal: { at, ...about, ...ending } })
  endInvite(node, t, access, at)
}

/** Adds stamps to the accept event of a consent; existing stamps are preserved. */
export function stampAccept(node: Context, t: Transaction, access: Access, stamps: Stamps): void {
  const id = acceptEventOf(access)
  const content = id === undefined ? undefined : findEvent(t, t.account, id)?.content
  if (id === undefined || !isJsonObject(content)) return
  const missing = Object.entries(stamps).filter(([key]) => !Object.hasOwn(content, key))
  if (missing.length > 0) stampEvent(node, t, id, Object.fromEntries(missing))
}

const ENDING_STATES: readonly unknown[] = ['pending', 'delivered', 'accepted']

/** Ends a single-use invite together with the relationship that resulted from it. */
function endInvite(node: Context, t: Transaction, access: Access, at: number): void {
  const { inviteEventId, capabilityId } = counterpartyOf(access) ?? {}
  if (inviteEventId === undefined) return
  const { status, capability } = objectOf(findEvent(t, t.account, inviteEventId)?.content)
  const link = isCapabilityId(capabilityId) ? findLink(t, node.store.seal, t.account, capabilityId) : undefined
  const mark = link === undefined ? undefined : capabilityOf(link.access)
  const isForOne = mark?.singleUse ?? objectOf(capability)['mode'] !== 'open-link'
  if (isForOne && ENDING_STATES.includes(status)) stampEvent(node, t, inviteEventId, { status: 'revoked', revokedAt: at })
}
