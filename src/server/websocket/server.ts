/** Socket.io server of a node: opens connections, receives messages, closes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server, type Socket } from 'socket.io'
import { Failure } from '../../store/model/failure.js'
import { asFailure } from '../dispatch/call.js'
import { clientOrigin } from '../auth/origin.js'
import { headersOf } from '../http/respond.js'
import type { Method } from '../call/method.js'
import type { Node } from '../index.js'
import { admit, openingOf, type Opening } from './admission.js'
import { createAudience } from './audience.js'
import { createMessageDispatcher, type Callback } from './messageDispatcher.js'
import { limitConnects } from './connectLimit.js'
import type { Connection } from './connection.js'
import { writeAnswersAsTheyAre } from './encoding.js'
import { receiveLarge, smallFrame, type LargeMessages } from './largeMessages.js'
import { createWatch, revalidate } from './watch.js'
import { transmitterOf, wireOf } from './wire.js'

export interface RealtimeServer {
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes all connections once their calls are done, or after `withinMs`. */
  close(withinMs: number): Promise<void>
}

/** An engine.io transport; its types belong to a package that is not a direct dependency. */
type Transport = Socket['conn']
type Engine = Pick<RealtimeServer, 'handleRequest' | 'handleUpgrade'> & {
  on(event: 'connection', opened: (transport: Transport) => void): void
  close(): void
}

/** Maximum time that a client of the older protocol may stay without a namespace. */
const CONNECT_TIMEOUT_MS = 45_000
/** Maximum connections to accounts over one transport. */
const MAX_NAMESPACES = 1000

export function createRealtimeServer(node: Node, methods: readonly Method<Node>[]): RealtimeServer {
  const io = new Server({
    path: '/socket.io',
    transports: ['websocket', 'polling'],
    allowEIO3: true,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: smallFrame(node),
    connectTimeout: CONNECT_TIMEOUT_MS,
    serveClient: false,
    cleanupEmptyChildNamespaces: true,
  })
  writeAnswersAsTheyAre(io)
  // Attached to a server that never listens: requests arrive through the node's own HTTP server, which routes them.
  io.attach(createServer())
  const engine = io.engine as Engine
  const openings = new WeakMap<Transport, Opening>()
  const messages = new WeakMap<Transport, LargeMessages>()
  engine.on('connection', (transport) => {
    const { request } = transport
    openings.set(transport, openingOf(clientOrigin(node, request), transmitterOf(transport, node.answerBudget), request.headers.authorization, request.url))
    // Frees the rest of the request, kilobytes per transport.
    transport.request = NO_REQUEST
    limitConnects(transport, () => node.clock.now())
    messages.set(transport, receiveLarge(node, transport, methods, dispatcher))
  })
  const dispatcher = createMessageDispatcher(methods)
  const audience = createAudience(node.notifier, (connections, changes) => watch.accountChanged(connections, changes))
  const watch = createWatch(() => audience.all())
  const leave = node.revocations.follow(() => watch.revoked())

  async function connect(socket: Socket): Promise<Connection> {
    const opening = openings.get(socket.conn)
    if (opening === undefined) throw new Error('a connection without its opening')
    if (opening.connections >= MAX_NAMESPACES) throw new Failure('too-many-requests', 'Too many connected namespaces over one transport.')
    const wire = wireOf(socket, opening.transmitter, () => opening.connections === 0)
    return admit(node, socket.nsp.name, opening, socket.handshake.auth['auth'], wire)
  }

  function joined(socket: Socket, connection: Connection): void {
    const opening = openings.get(socket.conn)
    if (opening !== undefined) opening.connections += 1
    messages.get(socket.conn)?.join(socket, connection)
    audience.join(connection)
    node.metrics.websockets += 1
    watch.begin()
    socket.on('disconnect', () => {
      if (opening !== undefined) opening.connections -= 1
      messages.get(socket.conn)?.leave(socket)
      audience.leave(connection)
      node.metrics.websockets -= 1
    })
    socket.onAny((id: unknown, ...args: unknown[]) => {
      const callback = args.pop()
      // Without a callback nobody receives the response, so nothing is executed.
      if (typeof callback === 'function') void dispatcher.receive(connection, String(id), args, callback as Callback)
    })
    // Revocations after the admission were not delivered to this connection.
    revalidate(connection)
  }

  io.of((_name, _auth, next) => next(null, true))
    .use((socket, next) => {
      connect(socket).then(
        (connection) => {
          socket.data = connection
          next()
        },
        (error: unknown) => next(refusal(node, error)),
      )
    })
    .on('connection', (socket) => joined(socket, socket.data as Connection))
  // Clients of the older protocol join this namespace first.
  io.of('/').use((socket, next) => {
    if (socket.conn.protocol !== 3) return next(refusal(node, unknownUser()))
    setTimeout(() => {
      if (openings.get(socket.conn)?.connections === 0) socket.conn.close()
    }, CONNECT_TIMEOUT_MS).unref()
    next()
  })

  return {
    handleRequest(request, response) {
      const headers = headersOf(node, request.headers)
      for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i] ?? '', headers[i + 1] ?? '')
      engine.handleRequest(request, response)
    },
    handleUpgrade: (request, socket, head) => engine.handleUpgrade(request, socket, head),
    async close(withinMs) {
      watch.stop()
      leave()
      await dispatcher.close(withinMs)
      engine.close()
    },
  }
}

const unknownUser = (): Failure => new Failure('unknown-resource', 'A namespace must end with a user name.')

/** Returns a failure as a socket.io connect error: `data` is the error object. */
function refusal(node: Node, error: unknown): Error {
  const failure = asFailure(node, 'websocket', error)
  return Object.assign(new Error(failure.message), { data: failure })
}

/** Minimal request that socket.io reads when another namespace is joined. */
const NO_REQUEST = { headers: {}, connection: {}, _query: {} } as unknown as IncomingMessage
