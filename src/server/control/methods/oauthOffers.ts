/** Consent offers that OAuth clients may request, and the states of their links (consent supplement 4.3, 4.5). */
import { findAccessByToken } from '../../../store/accesses/accesses.js'
import { accessIdOf, isExpired } from '../../../store/model/access.js'
import { capabilityOf, type CapabilityMode, type CapabilityState } from '../../../store/model/consentAccess.js'
import { Failure } from '../../../store/model/failure.js'
import { endpointParts } from '../../base/endpointParts.js'
import { accountHere } from '../../messaging/peerClient.js'
import { readOffer } from '../../messaging/offer.js'
import { nearest } from '../../base/didYouMean.js'
import type { Node } from '../../node.js'
import { CMC } from '../../oauth/clientRules.js'
import type { OAuthClient } from '../../oauth/clients.js'
import { hidden } from '../../oauth/clientView.js'

/**
 * State of a link, as stored in its account; `expired` after its expiry, `gone` when the account no longer has it, `elsewhere`
 * when the account is on another node, which is not queried.
 */
export type OfferState = CapabilityState | 'expired' | 'gone' | 'elsewhere'

/** An offer of a client, without the token of its link; times in seconds. */
export interface OfferView {
  client_id: string
  name: string
  /** The scope that requests it. */
  scope: string
  capabilityUrl: string
  state: OfferState
  /** Details of a link of an account on this node; `expires` is null for a link without expiry. */
  username?: string
  mode?: CapabilityMode
  capabilityId?: string
  accessId?: string
  /** The event that published it. */
  eventId?: string
  expires?: number | null
}

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
export async function offerNamed(node: Node, client: OAuthClient, name: string): Promise<Record<string, unknown>> {
  const { capabilityUrl } = offerIn(client, name)
  const read = await readOffer({ node }, capabilityUrl)
  const { reason, detail } = read.ok ? {} : read
  const more = read.ok ? { content: read.content, requester: read.requester } : { failure: { reason, ...(detail === undefined ? {} : { detail }) } }
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
