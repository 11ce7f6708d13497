/** The consent offer behind a scope, as people are asked and as the signed state carries it (consent supplement 4.4, 4.5). */
import { formOf, MalformedOffer, type OfferForm } from '../messaging/offerForm.js'
import { recentOffer } from '../messaging/recentOffer.js'
import type { Node } from '../node.js'
import { OAuthError } from './errors.js'

const MOST_ENTRIES = 100
const MOST_TEXT_BYTES = 8192

/** An offer. Texts are by language. */
export interface OAuthOffer extends OfferForm {
  offerName: string
  capabilityUrl: string
  capabilityId: string
  offerEventId: string
}

const unusable = (text: string): OAuthError => new OAuthError('invalid_scope', text)

/**
 * The offer of a name at an address; what was read lately is not read again.
 * @throws OAuthError `invalid_scope` when it cannot be read, or is none that people can be asked
 */
export async function resolveOffer(node: Node, offerName: string, capabilityUrl: string): Promise<OAuthOffer> {
  const found = await recentOffer(node, capabilityUrl)
  if (!found.ok) throw unusable(`the offer ${offerName} cannot be resolved: ${found.reason}`)
  const { capabilityId } = found.content
  if (typeof capabilityId !== 'string') throw unusable(`the offer ${offerName} is malformed: it has no capabilityId`)
  const form = formNamed(offerName, found.content)
  const { permissions, allowUserChoice: _, ...texts } = form
  if (Buffer.byteLength(JSON.stringify(texts)) > MOST_TEXT_BYTES) throw unusable('cmc-offer-too-large: the texts of the offer are too long')
  if (permissions.length > MOST_ENTRIES) throw unusable(`cmc-offer-too-large: the offer asks for more than ${MOST_ENTRIES} permissions`)
  return { offerName, capabilityUrl, capabilityId, offerEventId: found.eventId, ...form }
}

function formNamed(offerName: string, content: Readonly<Record<string, unknown>>): OfferForm {
  try {
    return formOf(content)
  } catch (error) {
    if (error instanceof MalformedOffer) throw unusable(`the offer ${offerName} is malformed: ${error.message}`)
    throw error
  }
}
