/** What the node notes in the content of an event that it acted upon (consent supplement 1.12, 1.18). */
import type { Account, Transaction } from '../../store/engine/account.js'
import { findEvent, replaceEvent } from '../../store/events/events.js'
import type { Event } from '../../store/model/event.js'
import { withIntegrity } from '../eventIntegrity.js'
import type { Node } from '../node.js'
import { objectOf } from './objects.js'

/** Members to set; those that are undefined are taken away. */
export type Stamps = Record<string, unknown>

/** What clients cannot set in these events, and what stays as it is when they change them. */
const SERVER_OWNED = ['status', 'failure', 'approvedBy', 'ownerConfirmedAt', 'withdrawal']

/** The content that a client asked for, without what only the node says, and with what it has said before. */
export function withoutOwned(content: unknown, before?: unknown): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content
  const input = Object.entries(content).filter(([key]) => !SERVER_OWNED.includes(key))
  const stored = Object.entries(objectOf(before)).filter(([key]) => SERVER_OWNED.includes(key))
  return Object.fromEntries([...input, ...stored])
}

/**
 * Stages stamps on an event, if it is there; answers it as it is then. Leaves no earlier version, and tells of a change.
 */
export function stampEvent(node: Node, t: Transaction, eventId: string, stamps: Stamps): Event | undefined {
  const before = findEvent(t, t.account, eventId)
  if (before === undefined) return undefined
  const content = { ...objectOf(before.content), ...stamps }
  const stored = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  const after: Event = { ...before, content: stored, modified: node.clock.now(), modifiedBy: 'system' }
  replaceEvent(t, node.store.recorder, before, withIntegrity({ node }, after), { isStamp: true })
  return after
}

/** The same in a transaction of its own. */
export const stamp = (node: Node, account: Account, eventId: string, stamps: Stamps): Promise<Event | undefined> =>
  account.write((t) => stampEvent(node, t, eventId, stamps))
