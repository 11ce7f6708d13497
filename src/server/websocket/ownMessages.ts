/** Websocket-only messages, by name. */
import type { OwnMessage } from './connection.js'
import { getSubscriptions } from './getSubscriptions.js'
import { subscribe } from './subscribe.js'
import { unsubscribe } from './unsubscribe.js'

export const ownMessages: ReadonlyMap<string, OwnMessage> = new Map(
  Object.entries({ getSubscriptions, subscribe, unsubscribe }),
)
