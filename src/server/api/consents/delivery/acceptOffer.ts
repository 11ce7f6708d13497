/**
 * Synchronous acceptance of an offer, for callers that need the consent before they continue: OAuth, and access requests of apps.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { findEvent } from '../../../../store/events/events.js'
import { callToken, withTrail } from '../../../dispatch/call.js'
import { objectOf } from '../objects.js'
import { ACCEPT } from '../types.js'
import { create } from '../../events/create.js'
import type { Call } from '../../../call/method.js'
import { resultText } from '../../../call/results.js'
import type { PeerDeps } from './peerClient.js'

interface OfferAccepted {
  /** Link of the offer, with its token. */
  capabilityUrl: string
  /** Granted permissions of the offer; all when absent. */
  grantedPermissions?: readonly object[]
  accessName?: string
  /** Stream of the caller's account for the event: `:_cmc:apps:<app>` or below it. */
  streamId: string
  features?: { chat?: boolean; systemMessaging?: boolean }
  /** Maximum wait for the outcome, in milliseconds. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const STEP_MS = 100

/**
 * Creates the accept event of the caller and waits for its outcome. Returns the event's content: `status` is `completed`,
 * `failed` with `failure.reason`, or `delivered` on timeout.
 * @throws errors of events.create
 */
export async function acceptOffer(call: Call<PeerDeps>, accepted: OfferAccepted): Promise<{ eventId: string; content: Record<string, unknown> }> {
  const { node, account } = call
  const { streamId, timeoutMs = TIMEOUT_MS, ...content } = accepted
  const members = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  const created = await callToken(withTrail(call, create), create, { streamIds: [streamId], type: ACCEPT, content: members })
  const { event } = objectOf(JSON.parse(await resultText(created, 1)))
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
