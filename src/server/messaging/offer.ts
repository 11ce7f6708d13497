/** Reading the offer behind a link (consent supplement 1.7). */
import { objectOf } from '../consent/objects.js'
import { readEvents, type Caller } from './peer.js'
import { REQUEST } from '../consent/types.js'

export type OfferRead =
  | { ok: true; /** The event that holds the offer, on the other account. */ eventId: string; content: Record<string, unknown> }
  | { ok: false; reason: string; detail?: Record<string, unknown> }

/**
 * Reads the one offer that a link leads to; `ok: false` with the reason that triggers are marked with. Never rejects.
 */
export async function readOffer(caller: Caller, capabilityUrl: string): Promise<OfferRead> {
  const answer = await readEvents(caller, capabilityUrl, REQUEST)
  if (!('body' in answer)) {
    const { cause } = answer
    if (cause === 'timeout') return { ok: false, reason: 'cmc-capability-timeout' }
    return { ok: false, reason: 'cmc-handler-offer-read-failed', detail: { cause } }
  }
  const { status, body } = answer
  if (status === 401 || status === 403) return { ok: false, reason: 'cmc-capability-invalid', detail: { status } }
  if (status < 200 || status >= 300) return { ok: false, reason: 'cmc-handler-offer-read-failed', detail: { status } }
  if (answer.isCut === true) return { ok: false, reason: 'cmc-capability-offer-too-large' }
  const events = Array.isArray(body['events']) ? (body['events'] as unknown[]) : []
  if (events.length === 0) return { ok: false, reason: 'cmc-capability-empty' }
  if (events.length > 1) return { ok: false, reason: 'cmc-capability-multiple-offers' }
  const { id, content } = objectOf(events[0])
  const offer = objectOf(content)
  if (typeof offer['capabilityId'] !== 'string' || typeof id !== 'string') {
    return { ok: false, reason: 'cmc-handler-offer-missing-capability-id' }
  }
  return { ok: true, eventId: id, content: offer }
}
