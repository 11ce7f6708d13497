/**
 * Server-owned members of consent events: status, failures, approvals (docs/interface/consents.md#who-may-write,
 * docs/interface/messages.md#delivery).
 */
import type { Account, Transaction } from '../../../store/engine/account.js'
import { findEvent, replaceEvent } from '../../../store/events/events.js'
import type { Event } from '../../../store/model/event.js'
import { isJsonObject } from '../../../store/model/json.js'
import { withIntegrity } from '../shared/integrity.js'
import type { Context } from '../../call/context.js'
import { objectOf } from './objects.js'

/** Members to set; undefined ones are removed. */
export type Stamps = Record<string, unknown>

/** Members that clients cannot set, and that are preserved when they change the event. */
const SERVER_OWNED = ['status', 'failure', 'approvedBy', 'ownerConfirmedAt', 'withdrawal']

/** Replaces server-owned members of a client's content by those of the stored content. */
export function withoutOwned(content: unknown, before?: unknown): unknown {
  if (!isJsonObject(content)) return content
  const input = Object.entries(content).filter(([key]) => !SERVER_OWNED.includes(key))
  const stored = Object.entries(objectOf(before)).filter(([key]) => SERVER_OWNED.includes(key))
  return Object.fromEntries([...input, ...stored])
}

/** Stages stamps on an event, if it exists; returns the updated event. Keeps no earlier version; emits a change. */
export function stampEvent(node: Context, t: Transaction, eventId: string, stamps: Stamps): Event | undefined {
  const before = findEvent(t, t.account, eventId)
  if (before === undefined) return undefined
  const content = { ...objectOf(before.content), ...stamps }
  const stored = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  const after: Event = { ...before, content: stored, modified: node.clock.now(), modifiedBy: 'system' }
  replaceEvent(t, node.store.recorder, before, withIntegrity({ node }, after), { isStamp: true })
  return after
}

/** Stamps an event in its own transaction. */
export const stamp = (node: Context, account: Account, eventId: string, stamps: Stamps): Promise<Event | undefined> =>
  account.write((t) => stampEvent(node, t, eventId, stamps))
