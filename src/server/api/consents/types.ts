/**
 * Event types of consents and messages between accounts (docs/interface/consents.md#events,
 * docs/interface/consents.md#who-may-write).
 */
import { channelOf, isCmcStream } from '../../../store/model/cmc.js'

export const REQUEST = 'consent/request-cmc'
export const ACCEPT = 'consent/accept-cmc'
export const REFUSE = 'consent/refuse-cmc'
export const REVOKE = 'consent/revoke-cmc'
export const INVALIDATE_LINK = 'consent/invalidate-link-cmc'
export const BACK_CHANNEL = 'consent/back-channel-cmc'
export const SCOPE_REQUEST = 'consent/scope-request-cmc'
export const SCOPE_UPDATE = 'consent/scope-update-cmc'
export const CHAT = 'message/chat-cmc'
export const ALERT = 'notification/alert-cmc'
export const ACK = 'notification/ack-cmc'

/** Types that the two accounts of a relationship write to each other's channels. */
export const channelTypes: ReadonlySet<string> = new Set([CHAT, ALERT, ACK, SCOPE_REQUEST, SCOPE_UPDATE])

/** Types that a peer may write to the inbox. */
export const inboxTypes: readonly string[] = [REQUEST, ACCEPT, REFUSE, REVOKE, BACK_CHANNEL]

/** Types that trigger processing when written to a stream of an app. */
const triggers = [ACCEPT, REFUSE, REVOKE, INVALIDATE_LINK, ...channelTypes] as const

export const triggerTypes: ReadonlySet<string> = new Set(triggers)

const types: ReadonlySet<string> = new Set([REQUEST, BACK_CHANNEL, ...triggers])

export const isConsentType = (type: string): boolean => types.has(type)

/** Checks whether an event belongs to consents and messages, by its streams or its type. */
export const concernsConsent = (streamIds: readonly string[], type: string): boolean =>
  types.has(type) || streamIds.some(isCmcStream)

/** Returns the first of an event's streams that is a channel with a peer. */
export function channelIn(streamIds: readonly string[], kind: 'chats' | 'collectors'): { scope: string; peer: string } | undefined {
  for (const id of streamIds) {
    const channel = channelOf(id)
    if (channel?.kind === kind && channel.peer !== undefined) return { scope: channel.scope, peer: channel.peer }
  }
  return undefined
}
