/**
 * Consent offers that OAuth clients may request, and the states of their links (docs/interface/oauth.md#clients,
 * docs/interface/oauth.md#authorization-request).
 */
import * as z from 'zod'
import { findAccessByToken } from '../../../store/accesses/accesses.js'
import { accessIdOf, isExpired } from '../../../store/model/access.js'
import { capabilityOf } from '../../../store/model/consentAccess.js'
import { Failure } from '../../../store/model/failure.js'
import { endpointParts } from '../../base/endpointParts.js'
import { accountHere } from '../../api/consents/delivery/peerClient.js'
import { readOffer } from '../../api/consents/delivery/offer.js'
import { nearest } from '../../base/didYouMean.js'
import type { Node } from '../../index.js'
import { CMC } from '../../api/oauth/clientRules.js'
import type { OAuthClient } from '../../api/oauth/clients.js'
import { hidden } from '../../api/oauth/clientView.js'
import { OfferFailure, Requester } from './consents.js'

/** State of a link, as stored in its account, or of an account that cannot be read. */
const OfferState = z.enum(['open', 'consumed', 'invalidated', 'expired', 'gone', 'elsewhere'])

/** An offer of a client, without the token of its link. */
export const OfferView = z.object({
  client_id: z.string().describe('Id of the client.'),
  name: z.string().describe('Name of the offer.'),
  scope: z.string().describe('Scope that requests it.'),
  capabilityUrl: z.string().describe('Link, without its token.'),
  state: OfferState.describe('State of the link; gone: the account no longer has it; elsewhere: the account is on another node.'),
  username: z.string().optional().describe('User name of the account of the link, if it is on this node.'),
  mode: z.enum(['single-use', 'open-link']).optional().describe('Kind of the link.'),
  capabilityId: z.string().optional().describe('Id of the link.'),
  accessId: z.string().optional().describe('Id of its access.'),
  eventId: z.string().optional().describe('Id of the event that published it.'),
  expires: z.number().nullable().optional().describe('Expiry in seconds since 1970; null for none.'),
})
export type OfferView = z.output<typeof OfferView>

/** An offer with its content, or the reason why it cannot be read. */
export const OfferDetails = OfferView.extend({
  content: z.record(z.string(), z.unknown()).optional().describe('Content of the offer.'),
  requester: Requester.optional().describe('Account that makes the offer.'),
  failure: OfferFailure.optional().describe('Reason why it cannot be read, in the terms of consent triggers.'),
})

/** Lists the offers of a client, by name. */
export async function offersOf(node: Node, client: OAuthClient): Promise<OfferView[]> {
  const offers = []
  for (const name of Object.keys(client.cmcOffers).sort()) offers.push(await offerView(node, client, name))
  return offers
}

/**
 * Returns one offer with its content, or the reason why it cannot be read, in the terms of consent triggers.
 * @throws Failure `unknown-resource`
 */
export async function offerNamed(node: Node, client: OAuthClient, name: string): Promise<z.output<typeof OfferDetails>> {
  const { capabilityUrl } = offerIn(client, name)
  const read = await readOffer({ node }, capabilityUrl)
  const more = read.ok
    ? { content: read.content, requester: read.requester }
    : { failure: { reason: read.reason, ...(read.detail === undefined ? {} : { detail: read.detail }) } }
  return { ...(await offerView(node, client, name)), ...more }
}

async function offerView(node: Node, client: OAuthClient, name: string): Promise<OfferView> {
  const { capabilityUrl } = offerIn(client, name)
  const view = { client_id: client.clientId, name, scope: CMC + name, capabilityUrl: hidden(capabilityUrl) }
  const parts = endpointParts(capabilityUrl)
  const here = parts === undefined ? undefined : await accountHere(node, parts.base)
  if (parts === undefined || here === undefined) return { ...view, state: 'elsewhere' }
  const loaded = here === 'nowhere' ? undefined : await node.accounts.find(here.username)
  if (loaded === undefined) return { ...view, state: 'gone' }
  const { username } = loaded.user
  const live = findAccessByToken(node.store.db, node.store.seal, loaded.account.prefix, parts.token)
  const mark = live === undefined ? undefined : capabilityOf(live.access)
  if (live === undefined || mark === undefined) return { ...view, state: 'gone', username }
  const { access } = live
  const { mode, state } = mark.capability
  return {
    ...view,
    state: state === 'open' && isExpired(access, node.clock.now()) ? 'expired' : state,
    username,
    mode,
    capabilityId: mark.capabilityId,
    accessId: accessIdOf(access),
    ...(mark.requestEventId === undefined ? {} : { eventId: mark.requestEventId }),
    expires: access.expires ?? null,
  }
}

function offerIn({ clientId, cmcOffers }: OAuthClient, name: string): { capabilityUrl: string } {
  const offer = Object.hasOwn(cmcOffers, name) ? cmcOffers[name] : undefined
  if (offer !== undefined) return offer
  const near = nearest(name, Object.keys(cmcOffers))
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new Failure('unknown-resource', `The client ${clientId} has no offer "${name}".${hint}`, { clientId, name })
}
