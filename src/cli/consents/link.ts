/** Links to offers, which hold a token, and what is read by them. */
import { answerStreamOf } from '../../store/model/cmc.js'
import { endpointParts } from '../../server/base/endpointParts.js'
import type { Context } from '../command.js'
import { usageError } from '../framework/exit.js'
import { recordOf } from '../client/answer.js'
import type { NodeClient } from '../client/nodeClient.js'
import { text } from '../framework/option.js'
import { offerOf } from './offer.js'
import type { Offer } from './offer.js'
import { failureError } from './reasons.js'
import { accountOfIdentity, accountText } from './relations.js'

/** The argument of commands about a link. */
export const linkArgument = text('The link that was given, or - for stdin', { required: true })

/** The link that was typed, or read. @throws CommandError 2 for what is none. */
export async function linkOf({ terminal }: Context, word: string): Promise<string> {
  const link = word === '-' ? (await terminal.readAll()).trim() : word
  if (endpointParts(link) === undefined) {
    throw usageError('This is not a link to an offer', 'A link looks like https://<token>@example.org/ana-lovelace/')
  }
  return link
}

/** The offer behind a link. @throws CommandError saying why it cannot be read. */
export async function readOffer(client: NodeClient, capabilityUrl: string): Promise<Offer> {
  const { offer, failure } = await client.call('consents.readOffer', { capabilityUrl }, {})
  if (offer === undefined) throw failureError(failure)
  const { content, requester } = recordOf(offer)
  return offerOf(recordOf(content), accountText(accountOfIdentity(requester)))
}

/** The stream that an answer to an offer is written to. @throws CommandError when the offer names none. */
export function answerStream(offer: Offer): string {
  const { scopeStreamId, content } = offer
  return answerStreamOf(scopeStreamId, recordOf(content['requesterMeta'])['appId'])
}
