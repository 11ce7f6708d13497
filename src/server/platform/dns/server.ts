/** Sockets of the name server: UDP, and TCP for answers that are too long for UDP. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net'
import { Failure } from '../../../store/model/failure.js'
import type { Log } from '../../base/log.js'
import { failedReply, replyTo } from './reply.js'
import type { Zone } from './zone.js'

/** Maximum number of concurrent UDP queries; further ones are dropped, and the client retries. */
const MAX_OPEN = 1000
/** Maximum size of a query over TCP, in bytes. */
const MAX_QUESTION = 2048
/** An idle connection is closed after this time. */
const IDLE_MS = 10_000
const LENGTH_BYTES = 2

export interface Listening {
  port: number
  stop(): Promise<void>
}

/** Error of a failed listen of the name server. */
class NameServerProblem extends Error {
  constructor(
    readonly address: string,
    readonly busyPort: number,
    readonly code: string,
    options: ErrorOptions,
  ) {
    super(`The name server cannot listen at ${address}, port ${busyPort}: ${code}.`, options)
    this.name = 'NameServerProblem'
  }
}

interface ServerOptions {
  zone: Zone
  addresses: readonly string[]
  /** 0 selects a free port, the same for all addresses. */
  port: number
  maxConnections: number
  log: Log
}

/** Number of attempts to find a port that is free for both TCP and UDP. */
const MAX_PORTS = 5

/** Listens on all addresses. @throws NameServerProblem */
export async function listenNames(options: ServerOptions): Promise<Listening> {
  for (let tries = 1; ; tries++) {
    try {
      return await listenOnce(options)
    } catch (error) {
      const isAnother = options.port === 0 && error instanceof NameServerProblem && error.code === 'EADDRINUSE'
      if (!isAnother || tries === MAX_PORTS) throw error
    }
  }
}

async function listenOnce({ zone, addresses, port, maxConnections, log }: ServerOptions): Promise<Listening> {
  const open: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(open.map((close) => close()))
  }
  const replied = async (bytes: Buffer, over: 'udp' | 'tcp'): Promise<Buffer | undefined> => {
    try {
      return await replyTo(zone, bytes, over)
    } catch (error) {
      // The client asks another name server, or again.
      const isAway = error instanceof Failure && error.id === 'platform-unavailable'
      log[isAway ? 'debug' : 'error']('a DNS query could not be answered', { error: String(error) })
      return failedReply(bytes)
    }
  }
  let boundPort = port
  try {
    for (const address of addresses) {
      const tcp = await listenTcp(address, boundPort, { replied, maxConnections })
      open.push(tcp.stop)
      boundPort = tcp.port
      open.push(await listenUdp(address, boundPort, replied))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { port: boundPort, stop }
}

type Replied = (bytes: Buffer, over: 'udp' | 'tcp') => Promise<Buffer | undefined>

async function listenUdp(address: string, port: number, replied: Replied): Promise<() => Promise<void>> {
  const socket: UdpSocket = createSocket(isIPv6(address) ? { type: 'udp6', ipv6Only: true } : { type: 'udp4' })
  let pending = 0
  socket.on('message', (bytes, from) => {
    if (pending >= MAX_OPEN) return
    pending += 1
    void replied(bytes, 'udp').then((answer) => {
      pending -= 1
      // Errors of sending are ignored: the client may be gone.
      if (answer !== undefined) socket.send(answer, from.port, from.address, () => undefined)
    })
  })
  await listening(socket, address, port, () => socket.bind({ address, port, exclusive: true }))
  socket.on('error', () => undefined)
  return () => new Promise((resolve) => socket.close(() => resolve()))
}

async function listenTcp(address: string, port: number, { replied, maxConnections }: { replied: Replied; maxConnections: number }): Promise<Listening> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    answerAll(socket, replied).catch(() => socket.destroy())
  })
  server.maxConnections = maxConnections
  await listening(server, address, port, () => server.listen({ host: address, port, ipv6Only: true }))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Answers the queries of a connection in order; reads no further while the client does not read answers. */
async function answerAll(socket: Socket, replied: Replied): Promise<void> {
  let buffered = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    buffered = Buffer.concat([buffered, chunk])
    for (;;) {
      if (buffered.length < LENGTH_BYTES) break
      const size = buffered.readUInt16BE(0)
      if (size > MAX_QUESTION) return void socket.destroy()
      if (buffered.length < LENGTH_BYTES + size) break
      const answer = await replied(buffered.subarray(LENGTH_BYTES, LENGTH_BYTES + size), 'tcp')
      buffered = buffered.subarray(LENGTH_BYTES + size)
      if (answer === undefined) return void socket.destroy()
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(answer.length)
      if (!socket.write(Buffer.concat([length, answer]))) await drained(socket)
    }
  }
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('closed'))
    socket.once('close', closed)
    socket.once('drain', () => {
      socket.off('close', closed)
      resolve()
    })
  })

function listening(socket: UdpSocket | Server, address: string, port: number, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(new NameServerProblem(address, port, error.code ?? String(error), { cause: error }))
    const begun = (): void => {
      socket.off('error', failed)
      resolve()
    }
    // Both have the same events, with different types.
    const either = socket as Server
    either.once('error', failed)
    either.once('listening', begun)
    begin()
  })
}
