/**
 * Withdraws links to offers and updates the status of their invites (docs/interface/consents.md#links,
 * docs/interface/consents.md#status-of-an-invite).
 */
import type { LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { findEvent } from '../../../store/events/events.js'
import type { Access } from '../../../store/model/access.js'
import { capabilityOf } from '../../../store/model/consentAccess.js'
import type { Context } from '../../call/context.js'
import { moveCapability } from './capability.js'
import { objectOf } from './objects.js'
import { stampEvent } from './stamp.js'

/** Statuses of an invite whose link can still be accepted. */
const OPEN_STATUSES: readonly unknown[] = ['pending', 'delivered', 'refused']

/**
 * Stages the withdrawal of a link: answers are rejected from this transaction on, existing relationships remain. The access of
 * the link is kept, so that late answers get a reason. Does nothing for closed links.
 */
export function withdrawLink(node: Context, t: Transaction, link: LiveAccess, reason?: unknown): void {
  noteLinkEnd(node, t, link.access, node.clock.now(), reason)
  if (capabilityOf(link.access)?.capability.state === 'open') moveCapability(node, t, link, 'invalidated')
}

/** Stages the status of an invite whose link ends while open: `revoked` for a single-use link, `invalidated` for an open link. */
export function noteLinkEnd(node: Context, t: Transaction, access: Access, at: number, reason?: unknown): void {
  const { requestEventId, singleUse, capability } = capabilityOf(access) ?? {}
  if (requestEventId === undefined || capability?.state !== 'open') return
  if (!OPEN_STATUSES.includes(objectOf(findEvent(t, t.account, requestEventId)?.content)['status'])) return
  const status = singleUse === true ? { status: 'revoked', revokedAt: at } : { status: 'invalidated', invalidatedAt: at }
  stampEvent(node, t, requestEventId, { ...status, ...(reason === undefined ? {} : { reason }) })
}
