/** Links to offers, which contain a token, and the offers behind them. */
import { wordOrInput } from '../../../terminal/input/text.js'
import { answerStreamOf } from '../../../../store/model/cmc.js'
import { endpointParts } from '../../../../server/base/endpointParts.js'
import type { Context } from '../../../command.js'
import { usageError } from '../../../framework/exit.js'
import { recordOf } from '../../../client/answer.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import { text } from '../../../framework/option.js'
import { offerOf } from './offer.js'
import type { Offer } from './offer.js'
import { failureError } from './reasons.js'
import { accountOfIdentity, accountText } from '../../../../server/api/consents/relations.js'

/** Argument of commands about a link. */
export const linkArgument = text('Link to the offer, or - for stdin', { required: true, stdin: 'dash' })

/**
 * Returns the link from the command line or stdin.
 * @throws CommandError 2 for text that is not a link
 */
export async function linkOf({ terminal }: Context, word: string): Promise<string> {
  const link = (await wordOrInput(terminal, word, 'the link')).trim()
  if (endpointParts(link) === undefined) {
    throw usageError('This is not a link to an offer', 'A link looks like https://<token>@example.org/ana-lovelace/')
  }
  return link
}

/**
 * Reads the offer behind a link.
 * @throws CommandError with the reason when it cannot be read
 */
export async function readOffer(client: NodeClient, capabilityUrl: string): Promise<Offer> {
  const { offer, failure } = await client.call('consents.readOffer', { capabilityUrl }, {})
  if (offer === undefined) throw failureError(failure)
  const { content, requester } = offer
  return offerOf(recordOf(content), accountText(accountOfIdentity(requester)))
}

/**
 * Returns the stream for the answer to an offer.
 * @throws CommandError when the offer names none
 */
export function answerStream(offer: Offer): string {
  const { scopeStreamId, content } = offer
  return answerStreamOf(scopeStreamId, recordOf(content['requesterMeta'])['appId'])
}
