/**
 * Connections of an HTTP server as receivers of answers. Disconnects clients that read nothing, or too slowly: each holds memory,
 * and possibly a database snapshot.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FREE_BYTES, type AnswerBudget, type Receiver } from '../call/answers/answerBudget.js'
import { AnswerReader } from '../call/answers/answerReader.js'
import type { Node } from '../index.js'

/** Minimum pace at which clients must read waiting data. */
export interface ReadingPace {
  /** Maximum time without any progress. */
  timeoutMs: number
  /** Maximum time of slow reading; then the average since data began to wait must reach the minimum. */
  graceMs: number
  minBytesPerSecond: number
  /** Interval of the checks. */
  everyMs: number
}

/** Satisfied by a line of 32 kbit/s, as for bodies (minBodyRate.ts). */
export const READING_PACE: Omit<ReadingPace, 'timeoutMs'> = { graceMs: 300_000, minBytesPerSecond: 4000, everyMs: 1000 }

/** Waiting time of data before the speed of the client is checked. */
const JUDGED_AFTER_MS = 5000

/** Untyped internals of a Node socket: over TLS, those of the underlying TCP socket. */
interface Below {
  _parent?: Below | null
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
}

/** Returns the bytes of a connection that the system has accepted, including those of a large write in progress. */
function acceptedBytes(socket: Socket): number {
  const { _parent, _handle } = socket as Below
  const handle = _parent?._handle ?? _handle
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}

class SocketReceiver implements Receiver {
  readonly free = FREE_BYTES
  held = 0
  readonly #socket: Socket
  /** State since data began to wait: the time it was noticed, and the bytes accepted before. */
  #waiting: { since: number; before: number; taken: number; tookAt: number } | undefined

  constructor(socket: Socket) {
    this.#socket = socket
  }

  buffered(): number {
    return this.#socket.writableLength
  }

  /** Updates the progress; returns true when the client is too slow. */
  isTooSlow(now: number, { timeoutMs, graceMs, minBytesPerSecond }: ReadingPace): boolean {
    if (this.#socket.writableLength === 0) {
      this.#waiting = undefined
      return false
    }
    const taken = acceptedBytes(this.#socket)
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
    return took < JUDGED_AFTER_MS ? undefined : ((acceptedBytes(this.#socket) - before) * 1000) / took
  }

  drop(): void {
    this.#socket.destroy()
  }
}

const receivers = new WeakMap<Socket, Receiver>()

/** Returns the reader that a response is sent to. */
export function readerOf({ answerBudget: answers }: Pick<Node, 'answerBudget'>, response: ServerResponse): AnswerReader {
  const { socket } = response.req
  let receiver = receivers.get(socket)
  if (receiver === undefined) receivers.set(socket, (receiver = new SocketReceiver(socket)))
  return new AnswerReader(answers, receiver, () => response.destroyed)
}

/**
 * Registers the connections of a server as receivers, and disconnects clients that do not read their answers.
 * @param comes the event of new connections
 */
export function receiveOn(server: Server, comes: 'connection' | 'secureConnection', budget: AnswerBudget, pace: ReadingPace): void {
  const open = new Map<Socket, SocketReceiver>()
  server.on(comes, (socket: Socket) => {
    // A connection that is handed in again, after a rejected upgrade, is already registered.
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
    for (const [socket, receiver] of open) if (receiver.isTooSlow(now, pace)) socket.destroy()
  }, pace.everyMs)
  timer.unref()
  server.on('close', () => clearInterval(timer))
}
