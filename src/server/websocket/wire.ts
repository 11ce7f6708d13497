/** What carries a connection: the one place that looks into a socket of socket.io, down to the bytes not taken yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { FREE_BYTES, type AnswerBudget, type Receiver } from '../answers/answerBudget.js'
import { AnswerReader, type Lane } from '../answers/answerReader.js'
import type { Wire } from './connection.js'

/** What the engine keeps of what a client has not taken. Its types leave these members out. */
interface Outgoing {
  writeBuffer: { data?: string | Uint8Array }[]
  transport: {
    socket?: { bufferedAmount: number; pause(): void; resume(): void; terminate(): void; _receiver?: { _maxPayload: number } }
    /** Of long polling: most bytes of a request. */
    maxHttpBufferSize?: number
    once(event: 'ready', listener: () => void): void
    off(event: 'ready', listener: () => void): void
  }
}

const LOOK_AGAIN_MS = 50
/** Waiting time of messages for a transport before its client counts as not reading. */
const JUDGED_AFTER_MS = 5000
/** Messages that wait for a client before those that say the same are put together. */
const MAX_APART = 100
/** Messages that may wait for a client; one that leaves more of them is given up. */
const MAX_MESSAGES = 10_000

/** The transport shared by the wires of all sockets of a client. */
export interface Transmitter {
  /** Resolves when the client has taken enough to be sent more, or is gone. */
  room(): Promise<void>
  /** The client as who waits for the answer of one call. */
  reader(isGone: () => boolean): AnswerReader
}

/**
 * Counts what waits for a client before its transport takes it: a websocket that is not done with what it was given before,
 * or long polling that is not asked. What a transport has taken counts with its connection.
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
      await sleep(LOOK_AGAIN_MS, undefined, { signal: ready.signal }).catch(() => undefined)
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

/** Sets how many bytes a frame of a client may have, or its request where it polls; a longer one ends the transport. */
export function limitMessages(conn: Socket['conn'], bytes: number): void {
  const { transport } = conn as unknown as Outgoing
  const receiver = transport.socket?._receiver
  if (receiver !== undefined) receiver._maxPayload = bytes
  if (transport.maxHttpBufferSize !== undefined) transport.maxHttpBufferSize = bytes
}

/** Takes no more from a client until the function that is returned is called. */
export function pauseReading(conn: Socket['conn']): () => void {
  const { socket } = (conn as unknown as Outgoing).transport
  socket?.pause()
  return () => socket?.resume()
}

/** The wire of a socket. `isLast` tells, once it has left, whether nothing else uses what lies under it. */
export function wireOf(socket: Socket, transmitter: Transmitter, isLast: () => boolean): Wire {
  const { conn, nsp } = socket
  const outgoing = conn as unknown as Outgoing
  const isBehind = (): boolean => outgoing.writeBuffer.length >= MAX_APART
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
    holds(message) {
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
