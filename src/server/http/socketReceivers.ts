/**
 * The connections of an HTTP server as receivers of answers. A client that takes nothing of what waits for it is cut off
 * after a while, and so is one that takes it a byte now and then: each holds memory, and perhaps a moment of the database.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FREE_BYTES, type AnswerBudget, type Receiver } from '../answers/answerBudget.js'
import { AnswerReader } from '../answers/answerReader.js'
import type { Node } from '../node.js'

/** Minimum pace at which clients must read waiting data. */
export interface ReadingPace {
  /** Longest time without any progress. */
  timeoutMs: number
  /** Longest time of slow reading; then the average since data began to wait must reach the minimum. */
  graceMs: number
  minBytesPerSecond: number
  /** How often that is looked at. */
  everyMs: number
}

/** A line of 32 kbit/s keeps it, as for bodies (pace.ts). */
export const READING_PACE: Omit<ReadingPace, 'timeoutMs'> = { graceMs: 300_000, minBytesPerSecond: 4000, everyMs: 1000 }

/** Waiting time of data before the speed of the client is judged. */
const JUDGED_AFTER_MS = 5000

/** Untyped internals of a Node socket: over TLS, those of the underlying TCP socket. */
interface Below {
  _parent?: Below | null
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
}

/** Bytes that the system has taken of what was written to a connection: also within one large write. */
function takenOf(socket: Socket): number {
  const { _parent, _handle } = socket as Below
  const handle = _parent?._handle ?? _handle
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}

class SocketReceiver implements Receiver {
  readonly free = FREE_BYTES
  held = 0
  readonly #socket: Socket
  /** Since something waits: when that was noticed, and what had been taken before. */
  #waiting: { since: number; before: number; taken: number; tookAt: number } | undefined

  constructor(socket: Socket) {
    this.#socket = socket
  }

  buffered(): number {
    return this.#socket.writableLength
  }

  /** Looks at what was taken; answers whether the client falls behind its pace. */
  look(now: number, { timeoutMs, graceMs, minBytesPerSecond }: ReadingPace): boolean {
    if (this.#socket.writableLength === 0) {
      this.#waiting = undefined
      return false
    }
    const taken = takenOf(this.#socket)
    const waiting = (this.#waiting ??= { since: now, before: taken, taken, tookAt: now })
    if (taken !== waiting.taken) {
      waiting.taken = taken
      waiting.tookAt = now
    }
    if (now - waiting.tookAt >= timeoutMs) return true
    const took = now - waiting.since
    return took >= graceMs && taken - waiting.before < (took / 1000) * minBytesPerSecond
  }

  speed(): number | undefined {
    if (this.#waiting === undefined) return undefined
    const { since, before } = this.#waiting
    const took = performance.now() - since
    return took < JUDGED_AFTER_MS ? undefined : ((takenOf(this.#socket) - before) * 1000) / took
  }

  drop(): void {
    this.#socket.destroy()
  }
}

const receivers = new WeakMap<Socket, Receiver>()

/** Returns the reader that a response is sent to. */
export function readerOf({ answers }: Pick<Node, 'answers'>, response: ServerResponse): AnswerReader {
  const { socket } = response.req
  let receiver = receivers.get(socket)
  if (receiver === undefined) receivers.set(socket, (receiver = new SocketReceiver(socket)))
  return new AnswerReader(answers, receiver, () => response.destroyed)
}

/**
 * Counts the connections of a server as receivers, and cuts off those whose clients do not take what they are sent.
 * @param comes the event by which connections come
 */
export function receiveOn(server: Server, comes: 'connection' | 'secureConnection', budget: AnswerBudget, pace: ReadingPace): void {
  const open = new Map<Socket, SocketReceiver>()
  server.on(comes, (socket: Socket) => {
    // A connection that is handed in again, because another protocol was refused, is known.
    if (open.has(socket)) return
    const receiver = new SocketReceiver(socket)
    const leave = budget.add(receiver)
    receivers.set(socket, receiver)
    open.set(socket, receiver)
    socket.once('close', () => {
      leave()
      open.delete(socket)
    })
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [socket, receiver] of open) if (receiver.look(now, pace)) socket.destroy()
  }, pace.everyMs)
  timer.unref()
  server.on('close', () => clearInterval(timer))
}
