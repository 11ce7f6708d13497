/** The websocket at `/sync`, by which other nodes call. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { ChannelError, type Channel } from '../../sync/channel/channel.js'
import { respond, type Timers } from '../../sync/channel/open.js'
import { parsePurpose } from '../../sync/channel/purpose.js'
import type { Signer } from '../../sync/channel/signer.js'
import type { Traffic } from './traffic.js'
import { wireOf, WEBSOCKET_OPTIONS } from './wire.js'

/** Connections that may be open at once. */
export interface SyncHandlerLimits {
  /** Of an address, without having begun a session. */
  unknownOfAddress: number
  unknown: number
  /** Of a node, by its public key. */
  knownOfNode: number
  known: number
}

const LIMITS: SyncHandlerLimits = { unknownOfAddress: 8, unknown: 64, knownOfNode: 64, known: 1024 }

/** Bytes that are taken from whoever has not begun a session. */
const MAX_UNKNOWN_BYTES = 8 * 1024
const PURPOSE_MS = 10_000

export interface SyncHandlerOptions {
  /** Who this node is; asked for with each call. */
  signer(): Promise<Signer>
  timers: Timers
  /** Where bytes are counted. */
  traffic?: Traffic
  /** The address that a request counts for: behind a proxy, not the proxy's. */
  addressOf(request: IncomingMessage): string
  /**
   * Does what a call is for. The channel is closed when they resolve or reject; whether the caller may is theirs to
   * decide by `channel.node`.
   */
  onSession(channel: Channel, pairing: string): Promise<void>
  onPair(channel: Channel): Promise<void>
  log: { debug(message: string, fields?: Record<string, unknown>): void; warn(message: string, fields?: Record<string, unknown>): void }
  limits?: Partial<SyncHandlerLimits>
}

export interface SyncHandler {
  /** Whether a path of the node is the door's. */
  has(path: string): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends all connections; further ones are refused. */
  stop(): void
}

const PATH = '/sync'

export function createSyncHandler(options: SyncHandlerOptions): SyncHandler {
  const limits = { ...LIMITS, ...options.limits }
  const unknown = createTally(limits.unknown, limits.unknownOfAddress)
  const known = createTally(limits.known, limits.knownOfNode)
  const sockets = new Set<WebSocket>()
  let isStopped = false
  let loading: Promise<WebSocketServer> | undefined
  // Loaded with the first node that calls, not with this one.
  const load = (): Promise<WebSocketServer> =>
    (loading ??= import('ws').then(({ WebSocketServer }) => new WebSocketServer({ noServer: true, ...WEBSOCKET_OPTIONS })))

  async function receive(websocket: WebSocket, socket: Duplex, leave: () => void): Promise<void> {
    const release = holdBack(websocket, socket)
    const wire = wireOf(websocket, options.timers, options.traffic)
    let channel: Channel | undefined
    let depart = (): void => {}
    try {
      const signer = await options.signer()
      channel = await respond(wire, { signer, timers: options.timers })
      const purpose = await purposeOf(channel, options.timers)
      // Anybody can make a key: whoever wants a pairing stays as unknown as before, and its messages are short.
      if (purpose.is === 'pair') return await options.onPair(channel)
      const entered = known.enter(channel.node)
      if (entered === undefined) return channel.close('busy')
      depart = entered
      leave()
      release()
      await options.onSession(channel, purpose.pairing)
    } catch (error) {
      if (error instanceof ChannelError) options.log.debug('a call of another node ended', { reason: error.reason })
      else options.log.warn('a call of another node failed', { error: String(error) })
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
          options.log.warn('other nodes cannot be received', { error: String(error) })
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

/** What the caller wants, which it says first. Rejects with ChannelError. */
async function purposeOf(channel: Channel, timers: Timers): Promise<NonNullable<ReturnType<typeof parsePurpose>>> {
  const stop = timers.after(PURPOSE_MS, () => channel.close('timeout'))
  try {
    const first = await channel.messages[Symbol.asyncIterator]().next()
    const purpose = first.done === true ? undefined : parsePurpose(first.value)
    if (purpose !== undefined) return purpose
    channel.close('unknown purpose')
    throw new ChannelError('closed', 'The other node did not say what it calls for.')
  } finally {
    stop()
  }
}

/**
 * Reads little from a connection until it is released: a websocket gathers the whole of a message before anybody can
 * see whether it is one. What a handshake needs comes first, so an honest caller is not kept waiting.
 */
function holdBack(websocket: WebSocket, socket: Duplex): () => void {
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

interface Tally {
  /** Counts one more for a name; answers how to count it off, once. Undefined when there are too many. */
  enter(name: string): (() => void) | undefined
}

function createTally(max: number, maxOfName: number): Tally {
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

const BUSY = 'Too many nodes call at once; try again later.\n'

function refuse(socket: Duplex): void {
  const lines = ['HTTP/1.1 503 Service Unavailable', 'Connection: close', 'Retry-After: 10', 'Content-Type: text/plain']
  socket.end([...lines, `Content-Length: ${BUSY.length}`, '', BUSY].join('\r\n'))
}
