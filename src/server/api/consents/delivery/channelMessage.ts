/**
 * Messages in the channels of a relationship: chats, alerts and their acknowledgement, requests for another scope
 * (docs/interface/messages.md).
 */
import type { ChannelKind } from '../../../../store/model/cmc.js'
import type { CounterpartyMark, Features } from '../../../../store/model/consentAccess.js'
import { endpointOf } from '../peerNotices.js'
import { channelIn } from '../types.js'
import { deliverFor, writtenContent, type Destination } from './delivery.js'
import { findRelation, type Relation } from './relations.js'
import { failed, type Handler, type Outcome, type Job } from './jobTypes.js'

interface Reasons {
  stream: string
  access: string
  endpoint: string
  remoteStream: string
}

const reasons: Record<ChannelKind, Reasons> = {
  chats: {
    stream: 'cmc-chat-stream-not-chat',
    access: 'cmc-chat-counterparty-access-not-found',
    endpoint: 'cmc-chat-no-remote-apiendpoint',
    remoteStream: 'cmc-chat-no-remote-chat-stream',
  },
  collectors: {
    stream: 'cmc-system-stream-not-collector',
    access: 'cmc-system-counterparty-access-not-found',
    endpoint: 'cmc-system-no-remote-apiendpoint',
    remoteStream: 'cmc-system-no-remote-collector-stream',
  },
}

/** Finds the recipient of an event in a channel; returns the outcome when there is none. */
export async function addressee(work: Job, kind: ChannelKind): Promise<(Relation & { peer: string; scope: string }) | Outcome> {
  const channel = channelIn(work.event.streamIds, kind)
  if (channel === undefined) return failed(reasons[kind].stream)
  const relation = await findRelation(work, channel.peer, channel.scope)
  return relation === undefined ? failed(reasons[kind].access) : { ...relation, ...channel }
}

/** Returns the stream in which the other account receives messages of a channel; the outcome while it is unknown. */
export function destinationOf(mark: CounterpartyMark, kind: ChannelKind): Destination | Outcome {
  const { remoteChatStreamId, remoteCollectorStreamId } = mark.counterparty
  const endpoint = endpointOf(mark)
  if (endpoint === undefined) return failed(reasons[kind].endpoint)
  const streamId = kind === 'chats' ? remoteChatStreamId : remoteCollectorStreamId
  return streamId === undefined ? failed(reasons[kind].remoteStream) : { endpoint, streamId }
}

/**
 * Creates the handler that delivers messages of a channel to the other account, unless `feature` is switched off between the two.
 */
const channelMessage =
  (kind: ChannelKind, feature?: { name: keyof Features; disabled: string }): Handler =>
  async (work) => {
    const to = await addressee(work, kind)
    if ('is' in to) return to
    if (feature !== undefined && to.mark.features?.[feature.name] === false) return failed(feature.disabled)
    const destination = destinationOf(to.mark, kind)
    return 'is' in destination ? destination : deliverFor(work, destination, writtenContent(work))
  }

export const chat = channelMessage('chats', { name: 'chat', disabled: 'cmc-chat-disabled' })

/** Handles alerts and their acknowledgement. */
export const systemMessage = channelMessage('collectors', { name: 'systemMessaging', disabled: 'cmc-system-messaging-disabled' })

/** Handles scope requests, which cannot be switched off. */
export const scopeRequest = channelMessage('collectors')
