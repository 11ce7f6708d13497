/** Messages between two accounts with a consent (docs/interface/messages.md#chats). */
import { channelStreamOf } from '../../../../store/model/cmc.js'
import { peerSlug } from '../../../../store/model/consentAccess.js'
import { listOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { contentOf, type Consent } from '../../../../server/api/consents/relations.js'

const MAX_EVENTS = 100_000

/** Returns the message stream of a consent; undefined when the other account is unknown. */
export function chatStreamOf({ scopeStreamId, counterparty }: Consent): string | undefined {
  if (scopeStreamId === undefined || counterparty === undefined) return undefined
  return channelStreamOf(scopeStreamId, 'chats', peerSlug(counterparty))
}

/**
 * Loads the messages of a consent, the earliest first; empty when the stream does not exist. `last` is the maximum
 * number.
 */
export async function messagesOf(client: NodeClient, as: Authority, consent: Consent, last = MAX_EVENTS): Promise<Record_[]> {
  const stream = chatStreamOf(consent)
  if (stream === undefined) return []
  const { streams } = await client.call('streams.get', { state: 'all' }, as)
  if (!hasStream(streams, stream)) return []
  const { events } = await client.call('events.get', { streams: [stream], types: ['message/chat-cmc'], limit: last }, as)
  return events.reverse()
}

/** Returns the text of a chat message, whose content is `{ content }` or, in imported data, the text alone. */
export const chatText = (content: unknown): string => textOf(content) || textOf(contentOf({ content })['content'])

function hasStream(streams: unknown, id: string): boolean {
  return listOf(streams).some((each) => each['id'] === id || hasStream(each['children'], id))
}
