/** Accepting an offer on the spot, for what needs the consent before it goes on: OAuth, and requests of apps. */
import { setTimeout as pause } from 'node:timers/promises'
import { findEvent } from '../../store/events/events.js'
import { callToken, withTrail } from '../call.js'
import { objectOf } from '../consent/objects.js'
import { ACCEPT } from '../consent/types.js'
import { create } from '../events/create.js'
import type { Call } from '../method.js'
import { resultText } from '../results.js'

export interface OfferAccepted {
  /** The offer's link, with its token. */
  capabilityUrl: string
  /** What is granted of it; all without. */
  grantedPermissions?: readonly object[]
  accessName?: string
  /** The stream of the caller's account that the event is written to: `:_cmc:apps:<app>` or below it. */
  streamId: string
  features?: { chat?: boolean; systemMessaging?: boolean }
  /** For how long an end is waited for, in milliseconds. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const STEP_MS = 100

/**
 * Writes the event by which the caller accepts an offer, and waits for what comes of it. Answers the event's content then:
 * `status` is `completed`, `failed` with `failure.reason`, or `delivered` when it took longer.
 * @throws what events.create throws
 */
export async function acceptOffer(call: Call, accepted: OfferAccepted): Promise<{ eventId: string; content: Record<string, unknown> }> {
  const { node, account } = call
  const { streamId, timeoutMs = TIMEOUT_MS, ...content } = accepted
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  const made = await callToken(withTrail(call, create), create, { streamIds: [streamId], type: ACCEPT, content: given })
  const { event } = objectOf(JSON.parse(await resultText(made, 1)))
  const eventId = String(objectOf(event)['id'])
  const until = performance.now() + timeoutMs
  for (;;) {
    await Promise.race([node.consents.settled(account.prefix, eventId), pause(Math.max(0, until - performance.now()), undefined, { ref: false })])
    const present = objectOf(findEvent(account.db, account.prefix, eventId)?.content)
    const isOver = present['status'] === 'completed' || present['status'] === 'failed'
    const left = until - performance.now()
    if (isOver || left <= 0) return { eventId, content: present }
    await pause(Math.min(left, STEP_MS))
  }
}
