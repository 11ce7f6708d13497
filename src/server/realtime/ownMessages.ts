/** Messages that clients send over websockets alone, by name. */
import type { OwnMessage } from './connection.js'

export const ownMessages: ReadonlyMap<string, OwnMessage> = new Map<string, OwnMessage>([])
