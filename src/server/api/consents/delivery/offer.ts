/** Reads the offer behind an invite link (docs/interface/consents.md#reading-an-offer). */
import type { CmcIdentity } from '../../../../store/model/cmc.js'
import { hasPeerSlug } from '../../../../store/model/consentAccess.js'
import { isAddressOf } from '../address.js'
import { objectOf, textOf } from '../objects.js'
import { endpointParts } from '../../../base/endpointParts.js'
import type { Context } from '../../../call/context.js'
import { readEvents, type Caller } from './peerClient.js'
import { REQUEST } from '../types.js'

export type OfferRead =
  | {
      ok: true
      /** Id of the event with the offer, on the other account. */
      eventId: string
      content: Record<string, unknown>
      /** Account that makes the offer, which owns the address of the link. */
      requester: CmcIdentity
    }
  | { ok: false; reason: string; detail?: Record<string, unknown> }

/** Reads the single offer of a link; on failure, `ok: false` with the failure reason of triggers. Never rejects. */
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
  const requester = requesterOf(caller.node, offer, capabilityUrl)
  if (requester === undefined) return { ok: false, reason: 'cmc-handler-counterparty-unknown' }
  return { ok: true, eventId: id, content: offer, requester }
}

/**
 * Returns the identity in an offer, or else the one of its link's address. Undefined when it is no account, or its address
 * differs from the link's: an offer speaks only for the account it is read from.
 */
function requesterOf(node: Context, offer: Record<string, unknown>, capabilityUrl: string): CmcIdentity | undefined {
  const username = textOf(offer['requesterUsername']) ?? textOf(objectOf(offer['requesterMeta'])['username'])
  const base = endpointParts(capabilityUrl)?.base
  const host = textOf(offer['requesterHost']) ?? (base === undefined ? undefined : new URL(base).host)
  if (username === undefined || host === undefined) return undefined
  const requester = { username, host }
  return hasPeerSlug(requester) && isAddressOf(node, requester, capabilityUrl) ? requester : undefined
}
