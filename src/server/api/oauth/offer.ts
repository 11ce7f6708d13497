/**
 * Consent offer behind a scope, as shown to people and carried in the signed state
 * (docs/interface/oauth.md#authorization-request).
 */
import { createHmac } from 'node:crypto'
import type { CmcIdentity } from '../../../store/model/cmc.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { withoutToken } from '../../base/endpointParts.js'
import { formOf, MalformedOffer, type OfferForm } from '../consents/delivery/offerForm.js'
import { recentOffer } from '../consents/delivery/recentOffer.js'
import type { Context } from '../../call/context.js'
import { stateKeyOf } from '../../auth/signedState.js'
import type { OAuthClient } from './clients.js'
import { OAuthError } from './errors.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

const MAX_ENTRIES = 100
const MAX_TEXT_BYTES = 8192

/** An offer, with texts by language. It appears in public URLs before login, so it excludes the token of its link. */
export interface OAuthOffer extends OfferForm {
  offerName: string
  /** The link without its token. */
  capabilityUrl: string
  /** Keyed hash of the whole link, since another link of the client is another offer. */
  capabilityDigest: string
  capabilityId: string
  offerEventId: string
  /** Account that makes the offer. */
  requester: CmcIdentity
}

const unusable = (text: string): OAuthError => new OAuthError('invalid_scope', text)

/**
 * Reads the offer of a link, through a short-lived cache.
 * @throws OAuthError `invalid_scope` when it cannot be read or is not usable for consent
 */
export async function resolveOffer(node: Context & PeerDeps, offerName: string, capabilityUrl: string): Promise<OAuthOffer> {
  const found = await recentOffer(node, capabilityUrl)
  if (!found.ok) throw unusable(`the offer ${offerName} cannot be resolved: ${found.reason}`)
  const { capabilityId } = found.content
  if (typeof capabilityId !== 'string') throw unusable(`the offer ${offerName} is malformed: it has no capabilityId`)
  const form = formNamed(offerName, found.content)
  const { permissions, allowUserChoice: _, ...texts } = form
  if (Buffer.byteLength(JSON.stringify(texts)) > MAX_TEXT_BYTES) throw unusable('cmc-offer-too-large: the texts of the offer are too long')
  if (permissions.length > MAX_ENTRIES) throw unusable(`cmc-offer-too-large: the offer asks for more than ${MAX_ENTRIES} permissions`)
  const link = { capabilityUrl: withoutToken(capabilityUrl), capabilityDigest: digestOf(node, capabilityUrl) }
  return { offerName, ...link, capabilityId, offerEventId: found.eventId, requester: found.requester, ...form }
}

const digestOf = (node: Context, capabilityUrl: string): string =>
  createHmac('sha256', stateKeyOf(node, 'oauth offer link')).update(capabilityUrl).digest('base64url')

/**
 * Returns the link of an offer, with its token, from the client's record.
 * @throws OAuthError `invalid_grant` when the client now has another link for the offer, or none
 */
export function linkOf(node: Context, { cmcOffers }: Pick<OAuthClient, 'cmcOffers'>, { offerName, capabilityDigest }: OAuthOffer): string {
  const link = Object.hasOwn(cmcOffers, offerName) ? cmcOffers[offerName]?.capabilityUrl : undefined
  if (link === undefined || !constantTimeEqual(digestOf(node, link), capabilityDigest)) {
    throw new OAuthError('invalid_grant', 'the offer of the client has changed in the meantime')
  }
  return link
}

function formNamed(offerName: string, content: Readonly<Record<string, unknown>>): OfferForm {
  try {
    return formOf(content)
  } catch (error) {
    if (error instanceof MalformedOffer) throw unusable(`the offer ${offerName} is malformed: ${error.message}`)
    throw error
  }
}
