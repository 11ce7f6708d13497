/** Checks new consent and message events, and prepares the tasks that they start (docs/interface/consents.md#who-may-write). */
import type { Transaction } from '../../../store/engine/account.js'
import {
  capabilityOfResponses,
  CMC_INBOX,
  channelOf,
  isInternalStream,
  scopeOf,
} from '../../../store/model/cmc.js'
import { capabilityOf, counterpartyOf, isCounterparty } from '../../../store/model/consentAccess.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import type { Call } from '../../call/method.js'
import { withoutToken } from '../../base/endpointParts.js'
import { recordBackChannel } from './backChannel.js'
import { mintCapability } from './capability.js'
import { assertMessage } from './content.js'
import { objectOf, textOf } from './objects.js'
import { acceptAnswer, type AnswerOptions, type Begun } from './response.js'
import { refused } from './refused.js'
import { withoutOwned } from './stamp.js'
import { ensureScope } from './streams.js'
import { scheduleTask } from './tasks.js'
import * as types from './types.js'
import type { ConsentDeps } from './service.js'

/** Creates missing streams of the scopes in which a user answers an offer. */
export function ensureScopes(call: Call, t: Transaction, streamIds: readonly string[]): void {
  for (const id of streamIds) {
    if (!call.account.tree.has(id) && channelOf(id) === undefined && scopeOf([id]) === id) ensureScope(call, t, id)
  }
}

/** Throws unless internal streams are written by their capability link, which may only write answers. */
export function assertNotInternal({ caller }: Call, streamIds: readonly string[]): void {
  if (!streamIds.some(isInternalStream)) return
  const link = capabilityOf(caller.access)
  const [only = ''] = streamIds
  if (link === undefined || streamIds.length !== 1 || capabilityOfResponses(only) !== link.capabilityId) throw new Failure('forbidden')
}

/** Validates an event of a consent type, completes its content, and returns the follow-up to schedule. */
export function beginMessage(call: Call<ConsentDeps>, t: Transaction, event: Event, options: AnswerOptions): Begun {
  const { caller } = call
  const { access } = caller
  const { type, streamIds } = event
  const link = capabilityOf(access)
  const isPeer = isCounterparty(access)
  assertMessage(type, event.content, link !== undefined || isPeer)
  const mayDecide = caller.scope.personal || link !== undefined || isPeer
  if ((type === types.ACCEPT || type === types.SCOPE_UPDATE) && !mayDecide) {
    throw refused('cmc-accept-requires-personal-token', 'Only the signed-in owner of the account can do this.', { eventType: type })
  }
  event.content = withoutOwned(event.content) as Event['content']
  if (streamIds.some((id) => capabilityOfResponses(id) !== undefined)) return acceptAnswer(call, t, event, options)
  if (streamIds.includes(CMC_INBOX)) return arrival(call, t, event)
  if (scopeOf(streamIds) === undefined) return {}
  if (isPeer) {
    assertChannelType(type)
    stampSender(call, event)
    assertFeatureOn(call, type)
    if (types.channelTypes.has(type)) return {}
  }
  if (type === types.REQUEST) {
    if (objectOf(event.content)['capabilityRequested'] === true) event.content = mintCapability(call, t, event)
    return {}
  }
  return types.triggerTypes.has(type) ? trigger(call, t, event) : {}
}

/** An event that triggers work on this node. The token it needs is stored with the task, not in the event. */
function trigger(call: Call<ConsentDeps>, t: Transaction, event: Event): Begun {
  const url = hideLink(event)
  const task = { id: event.id, kind: 'trigger', attempts: 0, due: call.node.clock.now() } as const
  return { follow: () => scheduleTask(call.node, t, url === undefined ? task : { ...task, payload: { capabilityUrl: url } }) }
}

/** Removes the token from the link in an answer to an offer; returns the original link, or undefined for other events. */
export function hideLink(event: Event): string | undefined {
  if (event.type !== types.ACCEPT && event.type !== types.REFUSE) return undefined
  const content = objectOf(event.content)
  const url = textOf(content['capabilityUrl'])
  if (url === undefined) return undefined
  event.content = { ...content, capabilityUrl: withoutToken(url) }
  return url
}

/** Handles an event that the peer of a relationship writes to the inbox. */
function arrival(call: Call<ConsentDeps>, t: Transaction, event: Event): Begun {
  assertDelivery(call, event.type)
  stampSender(call, event)
  if (event.type === types.BACK_CHANNEL) recordBackChannel(call, t, event)
  if (event.type !== types.REVOKE) return {}
  const payload = { accessId: call.caller.access.id }
  return {
    follow: () => scheduleTask(call.node, t, { id: event.id, kind: 'arrival', attempts: 0, due: call.node.clock.now(), payload }),
  }
}

/** Throws unless the caller is the peer of a relationship and the type is allowed in the inbox. */
export function assertDelivery({ caller }: Call, type: string): void {
  if (!isCounterparty(caller.access)) {
    throw refused('cmc-not-counterparty', 'Only accounts with a consent relationship can write to the inbox.', { streamId: CMC_INBOX })
  }
  if (types.inboxTypes.includes(type)) return
  throw refused('cmc-event-type-not-allowed', `Events of type "${type}" cannot be put into the inbox.`, {
    eventType: type,
    allowed: types.inboxTypes,
  })
}

/** Throws unless the peer may write the type to its channel streams: channel types, and revocations. */
function assertChannelType(type: string): void {
  if (types.channelTypes.has(type) || type === types.REVOKE) return
  if (type === types.BACK_CHANNEL) throw refused('cmc-back-channel-wrong-stream', 'Write this event to the inbox.', { streamId: CMC_INBOX })
  throw refused('cmc-event-type-not-allowed', `The other account of a relationship cannot write events of type "${type}" here.`, {
    eventType: type,
    allowed: [...types.channelTypes, types.REVOKE],
  })
}

/** Throws for messages that the owner has disabled in the relationship; consent messages cannot be disabled. */
function assertFeatureOn({ caller }: Call, type: string): void {
  const features = counterpartyOf(caller.access)?.features
  const isSystem = type === types.ALERT || type === types.ACK
  if (type === types.CHAT && features?.chat === false) throw new Failure('forbidden', 'Chats are disabled here.', { id: 'cmc-chat-disabled' })
  if (isSystem && features?.systemMessaging === false) {
    throw new Failure('forbidden', 'System messages are disabled here.', { id: 'cmc-system-messaging-disabled' })
  }
}

/** Sets the sender of an event to the identity of the caller's access. */
function stampSender({ caller }: Call, event: Event): void {
  const peer = counterpartyOf(caller.access)?.counterparty
  if (peer === undefined) throw refused('cmc-counterparty-identity-missing', 'The access has no counterparty identity.')
  event.content = { ...objectOf(event.content), from: { username: peer.username, host: peer.host } }
}
