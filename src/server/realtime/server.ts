/** The socket.io server of a node: opening connections, receiving messages, closing. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Server as Engine, Socket as RawSocket } from 'engine.io'
import { Server, type Socket } from 'socket.io'
import { methodsById } from '../callNamed.js'
import { clientOrigin } from '../guard/origin.js'
import { headersOf } from '../http/respond.js'
import type { Method } from '../method.js'
import type { Node } from '../node.js'
import { asFailure } from '../call.js'
import { admit, openingOf, type Opening } from './admission.js'
import { createAudience } from './audience.js'
import { answer, type Callback } from './calls.js'
import type { Connection, Wire } from './connection.js'
import { writeAnswersAsTheyAre } from './encoding.js'

export interface RealtimeServer {
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

export function createRealtimeServer(node: Node, methods: readonly Method[]): RealtimeServer {
  const byId = methodsById(methods)
  const io = new Server({
    path: '/socket.io',
    transports: ['websocket', 'polling'],
    allowEIO3: true,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: node.config.get('socketIO.maxMessageBytes'),
    serveClient: false,
    cleanupEmptyChildNamespaces: true,
  })
  writeAnswersAsTheyAre(io)
  // Attached to a server that never listens: requests come through the node's own door, which decides what is whose.
  io.attach(createServer())
  const engine = io.engine as unknown as Engine
  const openings = new WeakMap<object, Opening>()
  engine.on('connection', (raw: RawSocket) => forgetRequest(node, raw, openings))
  const audience = createAudience(node.notifier, () => {})

  async function connect(socket: Socket): Promise<Connection> {
    const opening = openings.get(socket.conn)
    if (opening === undefined) throw new Error('a connection without its opening')
    const { auth } = socket.handshake.auth
    return admit(node, socket.nsp.name, opening, auth, wireOf(socket))
  }

  io.of((_name, _auth, next) => next(null, true))
    .use((socket, next) => {
      connect(socket).then(
        (connection) => {
          socket.data = connection
          next()
        },
        (error: unknown) => {
          const failure = asFailure(node, 'websocket', error)
          next(Object.assign(new Error(failure.message), { data: failure }))
        },
      )
    })
    .on('connection', (socket) => {
      const connection = socket.data as Connection
      audience.join(connection)
      socket.on('disconnect', () => audience.leave(connection))
      socket.onAny((id: unknown, ...args: unknown[]) => {
        const callback = args.pop()
        // Without a callback nobody waits for an answer, and nothing is done.
        if (typeof callback !== 'function') return
        void answer(connection, byId, String(id), args, callback as Callback)
      })
    })

  return {
    handleRequest(request, response) {
      const headers = headersOf(node, request.headers)
      for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i] ?? '', headers[i + 1] ?? '')
      engine.handleRequest(request as Parameters<Engine['handleRequest']>[0], response)
    },
    handleUpgrade: (request, socket, head) =>
      engine.handleUpgrade(request as Parameters<Engine['handleUpgrade']>[0], socket, head),
    close: () => void engine.close(),
  }
}

function wireOf(socket: Socket): Wire {
  return {
    id: socket.id,
    namespace: socket.nsp,
    send: (message, content) => void socket.emit(message, content),
    holds: () => false,
    end: () => void socket.disconnect(true),
  }
}

/** Notes what the request of a connection showed, and lets go of the rest of it, which is kilobytes for each. */
function forgetRequest(node: Node, raw: RawSocket, openings: WeakMap<object, Opening>): void {
  const { request } = raw
  openings.set(raw, openingOf(clientOrigin(node, request), request.headers.authorization, request.url))
  raw.request = NO_REQUEST
}

/** What socket.io reads of the request when a further namespace is joined. */
const NO_REQUEST = { headers: {}, connection: {}, _query: {} } as unknown as IncomingMessage
