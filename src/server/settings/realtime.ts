/** Settings of websockets. */
import { setting, whole } from '../config/setting.js'

export const realtimeSettings = {
  'socketIO.maxMessageBytes': setting(whole(1000, 100_000_000, ' of bytes'), {
    default: 1_000_000,
    summary: 'Largest message over a websocket, in bytes; a client that sends a larger one is disconnected.',
  }),
} as const
