/** What carries a connection: the one place that looks into a socket of socket.io, down to the bytes not taken yet. */
import type { Socket } from 'socket.io'
import type { Wire } from './connection.js'

/** What the engine keeps of what a client has not taken. Its types leave these members out. */
interface Outgoing {
  writeBuffer: { data?: string | Uint8Array }[]
  transport: { socket?: { bufferedAmount: number; pause(): void; resume(): void } }
}

/** Bytes beyond which a client must take answers before it gets more of them. */
const MOST_UNSENT = 16 * 1024 * 1024
const LOOK_AGAIN_MS = 50
/** Messages that wait for a client before those that say the same are put together. */
const MOST_APART = 100
/** Messages that may wait for a client; one that leaves more of them is given up. */
const MOST_MESSAGES = 10_000

/** The wire of a socket. `isLast` tells, once it has left, whether nothing else uses what lies under it. */
export function wireOf(socket: Socket, isLast: () => boolean): Wire {
  const { conn, nsp } = socket
  const outgoing = conn as unknown as Outgoing
  const unsent = (): number => {
    let bytes = outgoing.transport.socket?.bufferedAmount ?? 0
    for (const { data } of outgoing.writeBuffer) bytes += data?.length ?? 0
    return bytes
  }
  const isBehind = (): boolean => outgoing.writeBuffer.length >= MOST_APART
  const end = (): void => {
    socket.disconnect()
    if (isLast()) conn.close()
  }
  return {
    id: socket.id,
    namespace: nsp,
    send(message, content) {
      if (outgoing.writeBuffer.length < MOST_MESSAGES) socket.emit(message, content)
      else end()
    },
    isBehind,
    holds(message) {
      if (!isBehind()) return false
      const { writeBuffer } = outgoing
      const text = `2${nsp.name},["${message}"]`
      return writeBuffer.some(({ data }) => data === text)
    },
    async room() {
      while (socket.connected && unsent() > MOST_UNSENT) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    },
    pause: () => outgoing.transport.socket?.pause(),
    resume: () => outgoing.transport.socket?.resume(),
    end,
  }
}
