/** Connection between two nodes with faults: cut and healed, slow, in single bytes, or silent without closing. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LineQuality {
  /** Delay of everything, in milliseconds. */
  delayMs?: number
  /** Maximum number of bytes that arrive at once. */
  most?: number
  /** Number of bytes of which one arrives changed. */
  flipOneIn?: number
  /** Drops all bytes without closing. */
  silent?: boolean
}

export interface Line {
  /** Port of the connection, which leads to its target. */
  readonly port: number
  /** Number of bytes that arrived at either end. */
  readonly bytes: number
  /** Ends all connections, and refuses new ones until it is healed. */
  cut(): void
  heal(): void
  quality: LineQuality
  /** Target port from now on. */
  target: number
  stop(): Promise<void>
}

/**
 * Opens a connection to a local port. `random` chooses the changed bytes, in [0, 1); `overhear` receives the bytes of the
 * caller.
 */
export async function openLine(
  target: number,
  random: () => number = () => 1,
  overhear: (bytes: Buffer) => void = () => {},
): Promise<Line> {
  const sockets = new Set<Socket>()
  const callers = new WeakSet<Socket>()
  let isCut = false

  async function pass(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      const { delayMs, most = chunk.length, flipOneIn, silent } = line.quality
      if (silent === true) continue
      if (delayMs !== undefined) await sleep(delayMs)
      for (let at = 0; at < chunk.length; at += most) {
        const part = Buffer.from(chunk.subarray(at, at + most))
        if (flipOneIn !== undefined && random() < part.length / flipOneIn) {
          const hit = Math.floor(random() * part.length) % part.length
          part[hit] = (part[hit] ?? 0) ^ 1
        }
        line.bytes += part.length
        if (callers.has(from)) overhear(part)
        if (!to.write(part)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
      }
    }
    to.end()
  }

  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(line.target, '127.0.0.1')
    callers.add(near)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      pass(socket, other).catch(() => other.destroy())
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const line = {
    port: (server.address() as AddressInfo).port,
    bytes: 0,
    quality: {} as LineQuality,
    target,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    heal() {
      isCut = false
    },
    stop() {
      line.cut()
      return new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
  return line
}
