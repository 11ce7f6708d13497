/** Transport of a channel over a websocket: each frame is a binary message. */
import type { WebSocket } from 'ws'
import { MAX_MESSAGE, type Wire } from '../../sync/channel/channel.js'
import type { Timers } from '../../sync/channel/open.js'
import { createFrameQueue } from '../../sync/channel/queue.js'
import { STREAM_OVERHEAD } from '../../store/keyring/streamCipher.js'
import type { Traffic } from './traffic.js'

/** Options of both ends. Compressing encrypted data gains nothing and permits decompression bombs. */
export const WEBSOCKET_OPTIONS = { maxPayload: MAX_MESSAGE + STREAM_OVERHEAD, perMessageDeflate: false } as const

/** Limit of buffered bytes, in each direction, before the sender waits. */
const MAX_WAITING = 2 * 1024 * 1024
const PING_MS = 30_000
/** Consecutive unanswered pings before the other end counts as lost: 90 seconds. */
const MAX_UNANSWERED = 3
/** Timeout of the closing handshake, in milliseconds. */
const CLOSE_MS = 5_000
const NORMAL = 1000
const TEXT_REFUSED = 1003

/**
 * Wraps an open websocket. Pauses it while nobody reads, and closes it when the other end is silent. Bytes are also counted in
 * `traffic`.
 */
export function wireOf(websocket: WebSocket, timers: Timers, traffic?: Traffic): Wire {
  let sent = 0
  let received = 0
  let unanswered = 0
  let isClosed = false
  const queue = createFrameQueue({ maxBytes: MAX_WAITING, onRoom: () => websocket.resume() })
  const waiting = new Set<() => void>()
  const heard = (): void => {
    unanswered = 0
  }

  function beat(): void {
    stopBeating = timers.after(PING_MS, () => {
      // While this end is paused, it cannot receive pongs.
      if (!queue.isFull && ++unanswered >= MAX_UNANSWERED) return websocket.terminate()
      websocket.ping()
      beat()
    })
  }
  let stopBeating = (): void => {}
  beat()

  function close(reason = ''): void {
    if (isClosed) return
    isClosed = true
    queue.drop()
    websocket.close(NORMAL, reason)
    const giveUp = timers.after(CLOSE_MS, () => websocket.terminate())
    websocket.once('close', giveUp)
  }

  websocket.on('message', (data: Buffer, isBinary: boolean) => {
    heard()
    if (!isBinary) return websocket.close(TEXT_REFUSED)
    received += data.length
    if (traffic !== undefined) traffic.received += data.length
    queue.push(data)
    if (queue.isFull) websocket.pause()
  })
  websocket.on('ping', heard)
  websocket.on('pong', heard)
  // A close event follows.
  websocket.on('error', () => {})
  websocket.on('close', () => {
    isClosed = true
    stopBeating()
    queue.end()
    for (const go of waiting) go()
  })

  return {
    async send(frame) {
      if (isClosed || websocket.readyState !== websocket.OPEN) throw new Error('The websocket is closed.')
      sent += frame.length
      if (traffic !== undefined) traffic.sent += frame.length
      const passed = new Promise<void>((resolve) => {
        const go = (): void => {
          waiting.delete(go)
          resolve()
        }
        waiting.add(go)
        websocket.send(frame, go)
      })
      if (websocket.bufferedAmount > MAX_WAITING) await passed
    },
    frames: queue.frames,
    close,
    get sent() {
      return sent
    },
    get received() {
      return received
    },
  }
}
