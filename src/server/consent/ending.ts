/** What the end of a relationship leaves on an account: in the person's consent, and in the invite (consent supplement 1.17). */
import { findLink } from '../../store/accesses/accesses.js'
import type { Transaction } from '../../store/engine/account.js'
import { findEvent } from '../../store/events/events.js'
import type { Access } from '../../store/model/access.js'
import { acceptEventOf, capabilityOf, counterpartyOf, isCapabilityId, isCounterparty } from '../../store/model/consentAccess.js'
import type { Node } from '../node.js'
import { noteLinkEnd } from './linkEnding.js'
import { revokeOf, schedulePeerNotice, PEER_NOTICE } from './peerNotices.js'
import { objectOf } from './objects.js'
import { stampEvent, type Stamps } from './stamp.js'

/** How a relationship ended, as the person's consent says from then on. */
export type Ending =
  | { by: 'accesses.delete' }
  /** The trigger, or what arrived of the other account. */
  | { by: 'revoke-cmc' | 'peer-revoke'; revokeEventId: string }
  | { by: 'delegation-detach'; relId: string }

/** A text in some languages, by their codes. */
export type LocalText = Readonly<Record<string, string>>

/**
 * Stages what the end of an access means for its relationship, if it is of one, and that the other account is told, with a reason;
 * and for its invite, if it is a link.
 */
export function endRelation(node: Node, t: Transaction, username: string, access: Access, ending: Ending, at: number, reason?: LocalText): void {
  noteLinkEnd(node, t, access, at, reason)
  if (!isCounterparty(access)) return
  noteEnding(node, t, access, ending, at)
  const notice = revokeOf(node, username, access, node.newId(), reason)
  if (notice !== undefined) schedulePeerNotice(node, t, { notice: PEER_NOTICE, ...notice })
}

/** Stages what an account notes of the end of a relationship. */
export function noteEnding(node: Node, t: Transaction, access: Access, ending: Ending, at: number): void {
  const about = ending.by === 'delegation-detach' ? {} : { accessId: access.id }
  stampAccept(node, t, access, { withdrawal: { at, ...about, ...ending } })
  endInvite(node, t, access, at)
}

/** Notes in the event by which a consent was given what became of it; what was noted before stays. */
export function stampAccept(node: Node, t: Transaction, access: Access, stamps: Stamps): void {
  const id = acceptEventOf(access)
  const content = id === undefined ? undefined : findEvent(t, t.account, id)?.content
  if (id === undefined || typeof content !== 'object' || content === null || Array.isArray(content)) return
  const missing = Object.entries(stamps).filter(([key]) => !Object.hasOwn(content, key))
  if (missing.length > 0) stampEvent(node, t, id, Object.fromEntries(missing))
}

const ENDING_STATES: readonly unknown[] = ['pending', 'delivered', 'accepted']

/** An invite for one is over with the relationship that came of it. */
function endInvite(node: Node, t: Transaction, access: Access, at: number): void {
  const { inviteEventId, capabilityId } = counterpartyOf(access) ?? {}
  if (inviteEventId === undefined) return
  const { status, capability } = objectOf(findEvent(t, t.account, inviteEventId)?.content)
  const link = isCapabilityId(capabilityId) ? findLink(t, node.store.seal, t.account, capabilityId) : undefined
  const mark = link === undefined ? undefined : capabilityOf(link.access)
  const isForOne = mark?.singleUse ?? objectOf(capability)['mode'] !== 'open-link'
  if (isForOne && ENDING_STATES.includes(status)) stampEvent(node, t, inviteEventId, { status: 'revoked', revokedAt: at })
}
