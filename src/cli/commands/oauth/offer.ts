/** Display of a consent offer of an OAuth client. */
import { offerLines, offerOf } from '../consents/shared/offer.js'
import { failureWords } from '../consents/shared/reasons.js'
import { accountOfIdentity, accountText } from '../../../server/api/consents/relations.js'
import { recordOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { clientArgument } from './client.js'

/** Arguments that identify an offer of a client. */
export const offerArguments = {
  client: { ...clientArgument, summary: 'Client id' },
  name: text('Name of the offer, requested with the scope cmc:<name>', { required: true }),
}

export const OFFER_JSON =
  '"client_id","name","scope","capabilityUrl","state","username","mode","capabilityId","accessId","eventId","expires"'

/** An offer of a client with its content. */
export type Offer = ResultOf<'oauth.offers.show'>['offer']

/** Returns the arguments that identify an offer: `heart-lab study`. */
export const offerId = (offer: Pick<Offer, 'client_id' | 'name'>): string => `${offer.client_id} ${offer.name}`

const states: Readonly<Record<string, string>> = {
  open: 'open',
  consumed: 'used: the link was valid for one account',
  invalidated: 'withdrawn: it can no longer be accepted',
  expired: 'expired',
  gone: 'gone: the link no longer exists',
  elsewhere: 'unknown: its account is on another node',
}

/** Formats an offer, one line per field. */
export function offerDetails(offer: Offer, language: string): string[] {
  const expires = offer.expires ?? undefined
  const facts: [string, string][] = [
    ['Client', offer.client_id],
    ['State', states[offer.state] ?? offer.state],
    ['Account', offer.username ?? ''],
    ['Expires', expires !== undefined ? when(expires) : offer.expires === null ? 'when it is withdrawn' : ''],
    ['Link', offer.capabilityUrl],
    ['Event', offer.eventId ?? ''],
  ]
  const known = facts.filter(([, value]) => value !== '').map(([title, value]) => `  ${title.padEnd(10)}${value}`)
  if (offer.failure !== undefined) return [...known, '', `  The offer cannot be read. ${failureWords(offer.failure)}`]
  const consentOffer = offerOf(recordOf(offer.content), accountText(accountOfIdentity(offer.requester)))
  const tokenNote = ['', '  The client gets access tokens for the same data. They end with the consent.']
  return [...known, '', ...offerLines(consentOffer, consentOffer.entries.filter(({ optIn }) => optIn !== true), language).map((line) => (line === '' ? '' : `  ${line}`)), ...tokenNote]
}
