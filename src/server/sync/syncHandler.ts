/** Websocket endpoint `/sync`, to which other nodes connect. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { ChannelError, type Channel } from '../../sync/channel/channel.js'
import { respond, type Timers } from '../../sync/channel/open.js'
import { parsePurpose } from '../../sync/channel/purpose.js'
import type { Signer } from '../../sync/channel/signer.js'
import type { Traffic } from './traffic.js'
import { wireOf, WEBSOCKET_OPTIONS } from './wire.js'

/** Limits of open connections. */
interface SyncHandlerLimits {
  /** Connections of one address without a session. */
  unknownOfAddress: number
  unknown: number
  /** Connections of one node, by its public key. */
  knownOfNode: number
  known: number
}

const LIMITS: SyncHandlerLimits = { unknownOfAddress: 8, unknown: 64, knownOfNode: 64, known: 1024 }

/** Largest message before a session begins, in bytes. */
const MAX_UNKNOWN_BYTES = 8 * 1024
const PURPOSE_MS = 10_000

export interface SyncHandlerOptions {
  /** Returns the identity of this node; called for each connection. */
  signer(): Promise<Signer>
  timers: Timers
  /** Counter of bytes. */
  traffic?: Traffic
  /** Returns the client address of a request, behind any proxy. */
  addressOf(request: IncomingMessage): string
  /** Handlers by purpose. The channel is closed when they settle; they authorize the caller by `channel.node`. */
  onSession(channel: Channel, pairing: string): Promise<void>
  onPair(channel: Channel): Promise<void>
  log: { debug(message: string, fields?: Record<string, unknown>): void; warn(message: string, fields?: Record<string, unknown>): void }
  limits?: Partial<SyncHandlerLimits>
}

export interface SyncHandler {
  /** Checks whether a path belongs to this handler. */
  has(path: string): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes all connections and rejects further ones. */
  stop(): void
}

const PATH = '/sync'

export function createSyncHandler(options: SyncHandlerOptions): SyncHandler {
  const limits = { ...LIMITS, ...options.limits }
  const unknown = createConnectionCounter(limits.unknown, limits.unknownOfAddress)
  const known = createConnectionCounter(limits.known, limits.knownOfNode)
  const sockets = new Set<WebSocket>()
  let isStopped = false
  let loading: Promise<WebSocketServer> | undefined
  // Loaded on the first connection.
  const load = (): Promise<WebSocketServer> =>
    (loading ??= import('ws').then(({ WebSocketServer }) => new WebSocketServer({ noServer: true, ...WEBSOCKET_OPTIONS })))

  async function receive(websocket: WebSocket, socket: Duplex, leave: () => void): Promise<void> {
    const release = limitReading(websocket, socket)
    const wire = wireOf(websocket, options.timers, options.traffic)
    let channel: Channel | undefined
    let depart = (): void => {}
    try {
      const signer = await options.signer()
      channel = await respond(wire, { signer, timers: options.timers })
      const purpose = await purposeOf(channel, options.timers)
      // Anybody can create a key, so a pairing keeps the limits of unknown callers.
      if (purpose.is === 'pair') return await options.onPair(channel)
      const entered = known.enter(channel.node)
      if (entered === undefined) return channel.close('busy')
      depart = entered
      leave()
      release()
      await options.onSession(channel, purpose.pairing)
    } catch (error) {
      if (error instanceof ChannelError) options.log.debug('a connection from another node ended', { reason: error.reason })
      else options.log.warn('a connection from another node failed', { error: String(error) })
    } finally {
      depart()
      if (channel === undefined) wire.close()
      else channel.close()
    }
  }

  return {
    has: (path) => path === PATH,
    upgrade(request, socket, head) {
      const leave = isStopped ? undefined : unknown.enter(options.addressOf(request))
      if (leave === undefined) return refuse(socket)
      socket.once('close', leave)
      load().then(
        (server) =>
          server.handleUpgrade(request, socket, head, (websocket) => {
            if (isStopped) return websocket.terminate()
            sockets.add(websocket)
            websocket.on('close', () => sockets.delete(websocket))
            void receive(websocket, socket, leave)
          }),
        (error: unknown) => {
          options.log.warn('failed to accept connections from other nodes', { error: String(error) })
          socket.destroy()
        },
      )
    },
    stop() {
      isStopped = true
      for (const websocket of sockets) websocket.terminate()
    },
  }
}

/**
 * Returns the purpose in the caller's first message.
 * @throws ChannelError
 */
async function purposeOf(channel: Channel, timers: Timers): Promise<NonNullable<ReturnType<typeof parsePurpose>>> {
  const stop = timers.after(PURPOSE_MS, () => channel.close('timeout'))
  try {
    const first = await channel.messages[Symbol.asyncIterator]().next()
    const purpose = first.done === true ? undefined : parsePurpose(first.value)
    if (purpose !== undefined) return purpose
    channel.close('unknown purpose')
    throw new ChannelError('closed', 'The other node did not send a purpose.')
  } finally {
    stop()
  }
}

/**
 * Reads only a little from a connection until it is released, since a websocket buffers a whole message before anyone can reject
 * it. Handshake messages fit, so regular callers see no delay.
 */
function limitReading(websocket: WebSocket, socket: Duplex): () => void {
  let bytes = 0
  const count = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > MAX_UNKNOWN_BYTES) websocket.pause()
  }
  socket.on('data', count)
  return () => {
    socket.off('data', count)
    if (bytes > MAX_UNKNOWN_BYTES) websocket.resume()
  }
}

interface ConnectionCounter {
  /** Counts a connection for a name; returns a function that uncounts it, once. Undefined above the limit. */
  enter(name: string): (() => void) | undefined
}

function createConnectionCounter(max: number, maxOfName: number): ConnectionCounter {
  const counts = new Map<string, number>()
  let total = 0
  return {
    enter(name) {
      const count = counts.get(name) ?? 0
      if (total >= max || count >= maxOfName) return undefined
      counts.set(name, count + 1)
      total += 1
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        total -= 1
        const left = (counts.get(name) ?? 1) - 1
        if (left === 0) counts.delete(name)
        else counts.set(name, left)
      }
    },
  }
}

const BUSY = 'Too many nodes are connecting; try again later.\n'

function refuse(socket: Duplex): void {
  const lines = ['HTTP/1.1 503 Service Unavailable', 'Connection: close', 'Retry-After: 10', 'Content-Type: text/plain']
  socket.end([...lines, `Content-Length: ${BUSY.length}`, '', BUSY].join('\r\n'))
}
