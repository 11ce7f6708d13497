/** The wire of a channel over a websocket: each frame is a binary message. */
import type { WebSocket } from 'ws'
import { MAX_MESSAGE, type Wire } from '../../sync/channel/channel.js'
import type { Timers } from '../../sync/channel/open.js'
import { createFrameQueue } from '../../sync/channel/queue.js'
import { STREAM_OVERHEAD } from '../../store/keyring/streamCipher.js'
import type { Traffic } from './traffic.js'

/** What both ends set: compressing what is encrypted gains nothing, and lets little bytes become many. */
export const WEBSOCKET_OPTIONS = { maxPayload: MAX_MESSAGE + STREAM_OVERHEAD, perMessageDeflate: false } as const

/** Bytes that wait to be read, and that wait to be sent, before the other side of each waits. */
const MAX_WAITING = 2 * 1024 * 1024
const PING_MS = 30_000
/** Pings in a row, each without anything from the other end after it, before it counts as gone: 90 seconds. */
const MAX_UNANSWERED = 3
/** How long the other end may take to agree to the end. */
const CLOSE_MS = 5_000
const NORMAL = 1000
const TEXT_REFUSED = 1003

/**
 * The wire over an open websocket. It is paused while nobody reads, and closed when the other end is silent. What goes
 * over it is counted in `traffic`, beside that of other wires.
 */
export function wireOf(websocket: WebSocket, timers: Timers, traffic?: Traffic): Wire {
  let sent = 0
  let received = 0
  let unanswered = 0
  let isClosed = false
  const queue = createFrameQueue({ most: MAX_WAITING, onRoom: () => websocket.resume() })
  const waiting = new Set<() => void>()
  const heard = (): void => {
    unanswered = 0
  }

  function beat(): void {
    stopBeating = timers.after(PING_MS, () => {
      // Nothing can be heard while this end does not read.
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
  // The end follows.
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
