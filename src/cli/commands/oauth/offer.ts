/** A consent offer of an OAuth client, as people read it. */
import { offerLines, offerOf } from '../../consents/offer.js'
import { failureWords } from '../../consents/reasons.js'
import { accountOfIdentity, accountText } from '../../consents/relations.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { clientArgument } from './client.js'

/** Which offer of which client a command is about. */
export const offerArguments = {
  client: { ...clientArgument, summary: 'The id of the client' },
  name: text('The name of the offer: the scope cmc:<name> asks for it', { required: true }),
}

export const OFFER_JSON =
  '"client_id","name","scope","capabilityUrl","state","username","mode","capabilityId","accessId","eventId","expires"'

/** `heart-lab study`: the arguments of a command about it. */
export const offerId = (offer: Record_): string => `${textOf(offer['client_id'])} ${textOf(offer['name'])}`

const states: Readonly<Record<string, string>> = {
  open: 'open',
  consumed: 'used: its link was good for one account',
  invalidated: 'withdrawn: nobody can agree to it any more',
  expired: 'over: its time has passed',
  gone: 'gone: there is no such link any more',
  elsewhere: 'unknown: its account is on another node',
}

/** What is known of an offer, in lines. */
export function offerAbout(offer: Record_, language: string): string[] {
  const expires = numberOf(offer['expires'])
  const facts: [string, string][] = [
    ['Client', textOf(offer['client_id'])],
    ['State', states[textOf(offer['state'])] ?? textOf(offer['state'])],
    ['Account', textOf(offer['username'])],
    ['Ends', expires !== undefined ? when(expires) : offer['expires'] === null ? 'when it is withdrawn' : ''],
    ['Link', textOf(offer['capabilityUrl'])],
    ['Event', textOf(offer['eventId'])],
  ]
  const known = facts.filter(([, value]) => value !== '').map(([title, value]) => `  ${title.padEnd(10)}${value}`)
  if (offer['failure'] !== undefined) return [...known, '', `  It cannot be read. ${failureWords(offer['failure'])}`]
  const options = offerOf(recordOf(offer['content']), accountText(accountOfIdentity(offer['requester'])))
  const together = ['', '  The client gets access tokens to the same data: these and the consent end together.']
  return [...known, '', ...offerLines(options, options.entries.filter(({ optIn }) => optIn !== true), language).map((line) => (line === '' ? '' : `  ${line}`)), ...together]
}
