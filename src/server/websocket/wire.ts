/** Transport of a connection: the only code that accesses the internals of a socket.io socket, down to unsent bytes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { FREE_BYTES, type AnswerBudget, type Receiver } from '../call/answers/answerBudget.js'
import { AnswerReader, type Lane } from '../call/answers/answerReader.js'
import type { Wire } from './connection.js'

/** Members of the engine for unsent data, missing in its types. */
interface Outgoing {
  writeBuffer: { data?: string | Uint8Array }[]
  transport: {
    socket?: { bufferedAmount: number; pause(): void; resume(): void; terminate(): void; _receiver?: { _maxPayload: number } }
    /** Maximum request size of long polling, in bytes. */
    maxHttpBufferSize?: number
    once(event: 'ready', listener: () => void): void
    off(event: 'ready', listener: () => void): void
  }
}

const POLL_MS = 50
/** Time that messages wait for a transport before its client counts as not reading. */
const JUDGED_AFTER_MS = 5000
/** Queued messages above which duplicates are merged. */
const MAX_UNMERGED = 100
/** Maximum queued messages; a client with more is disconnected. */
const MAX_MESSAGES = 10_000

/** Transport shared by the wires of all sockets of a client. */
export interface Transmitter {
  /** Resolves when the client can receive more, or has disconnected. */
  room(): Promise<void>
  /** Returns the client as the reader of one call's response. */
  reader(isGone: () => boolean): AnswerReader
}

/**
 * Counts the data that waits for the transport: a websocket that is still sending, or long polling between requests. Data
 * accepted by the transport counts with its connection.
 */
export function transmitterOf(conn: Socket['conn'], budget: AnswerBudget): Transmitter {
  const outgoing = conn as unknown as Outgoing
  let flushedAt = performance.now()
  const waiting = (): number => outgoing.writeBuffer.reduce((bytes, { data }) => bytes + (data?.length ?? 0), 0)
  const receiver: Receiver = {
    free: 0,
    held: 0,
    buffered: waiting,
    speed: () => (outgoing.writeBuffer.length === 0 || performance.now() - flushedAt < JUDGED_AFTER_MS ? undefined : 0),
    drop() {
      outgoing.transport.socket?.terminate()
      conn.close(true)
    },
  }
  const leave = budget.add(receiver)
  conn.on('flush', () => (flushedAt = performance.now()))
  conn.once('close', leave)

  async function room(): Promise<void> {
    for (;;) {
      const { transport } = outgoing
      if (conn.readyState !== 'open' || (transport.socket?.bufferedAmount ?? 0) + waiting() <= FREE_BYTES) return
      const ready = new AbortController()
      const wake = (): void => ready.abort()
      transport.once('ready', wake)
      await sleep(POLL_MS, undefined, { signal: ready.signal }).catch(() => undefined)
      transport.off('ready', wake)
    }
  }

  const slot = createLane(room)
  return { room, reader: (isGone) => new AnswerReader(budget, receiver, isGone, slot) }
}

function createLane(room: () => Promise<void>): Lane {
  let isBusy = false
  const waiting: (() => void)[] = []
  return {
    enter() {
      // A leaving holder passes the lane on.
      if (isBusy) return new Promise<void>((resolve) => void waiting.push(resolve))
      isBusy = true
      return undefined
    },
    leave() {
      const next = waiting.shift()
      if (next === undefined) isBusy = false
      else next()
    },
    room,
  }
}

/** Sets the maximum frame size of a client, or its request size when polling; larger ones close the transport. */
export function limitMessages(conn: Socket['conn'], bytes: number): void {
  const { transport } = conn as unknown as Outgoing
  const receiver = transport.socket?._receiver
  if (receiver !== undefined) receiver._maxPayload = bytes
  if (transport.maxHttpBufferSize !== undefined) transport.maxHttpBufferSize = bytes
}

/** Pauses reading from a client until the returned function is called. */
export function pauseReading(conn: Socket['conn']): () => void {
  const { socket } = (conn as unknown as Outgoing).transport
  socket?.pause()
  return () => socket?.resume()
}

/** Returns the wire of a socket. `isLast` returns, after it left, whether nothing else uses the transport. */
export function wireOf(socket: Socket, transmitter: Transmitter, isLast: () => boolean): Wire {
  const { conn, nsp } = socket
  const outgoing = conn as unknown as Outgoing
  const isBehind = (): boolean => outgoing.writeBuffer.length >= MAX_UNMERGED
  const end = (): void => {
    socket.disconnect()
    if (isLast()) conn.close()
  }
  return {
    id: socket.id,
    namespace: nsp,
    send(message, content) {
      if (outgoing.writeBuffer.length < MAX_MESSAGES) socket.emit(message, content)
      else end()
    },
    isBehind,
    isQueued(message) {
      if (!isBehind()) return false
      const { writeBuffer } = outgoing
      const text = `2${nsp.name},["${message}"]`
      return writeBuffer.some(({ data }) => data === text)
    },
    room: () => transmitter.room(),
    reader: () => transmitter.reader(() => !socket.connected),
    pause: () => outgoing.transport.socket?.pause(),
    resume: () => outgoing.transport.socket?.resume(),
    end,
  }
}
