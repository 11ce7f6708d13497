/** Opens the HTTP server on its port. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { Failure } from '../../store/model/failure.js'
import { hostDomain, ownLabels } from '../config/apiEndpoint.js'
import { asFailure } from '../dispatch/call.js'
import { metaOf } from '../call/meta.js'
import type { Method } from '../call/method.js'
import type { Node } from '../index.js'
import type { Certificates } from '../tls/certificate.js'
import { addressOf, type Address, type AddressForm } from './address.js'
import { createHttpHandler } from './requestHandler.js'
import type { WebPages } from './root.js'
import { enforceMinBodyRate } from './minBodyRate.js'
import { headersOf, sendFailure } from './respond.js'
import { READING_PACE, receiveOn } from './socketReceivers.js'
import { isWebsocket, serveWithoutUpgrade } from './upgrade.js'

export interface Listening {
  host: string
  port: number
  server: Server
  /** Stops accepting requests, lets open ones finish for at most `withinMs`, and closes. */
  stop(withinMs: number): Promise<void>
}

const SERVER_OPTIONS = {
  headersTimeout: 20_000,
  // The time limit of a body depends on its size: see minBodyRate.ts.
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 32 * 1024,
  // The request handler answers a missing Host header with a failure of the catalogue.
  requireHostHeader: false,
}

/** The node's websockets, and their long-polling fallback. */
export interface Realtime {
  /** Checks whether a path of the node belongs to them. */
  has(path: string): boolean
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes all connections; waits at most `withinMs` for running calls. */
  stop(withinMs: number): Promise<void>
}

/** Handler of commands from other machines. */
export interface CommandHandler {
  /** Checks whether a path of the node belongs to the handler. */
  has(path: string): boolean
  request(request: IncomingMessage, response: ServerResponse, at: { path: string; query: string }): void
}

/** Handler of connections from other nodes. */
interface UpgradeHandler {
  /** Checks whether a path of the node belongs to the handler. */
  has(path: string): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes all connections. */
  stop(): void
}

interface Served {
  methods: readonly Method<Node>[]
  pages: WebPages
  realtime: Realtime
  sync?: UpgradeHandler
  commands?: CommandHandler
  /** Certificates for HTTPS; without them, the server uses plain HTTP. */
  certificates?: Certificates
}

/**
 * Opens the HTTP server.
 * @throws CertificateProblem, or the system's error when the port is in use
 */
export async function listen(node: Node, { methods, pages, realtime, sync, commands, certificates }: Served, host: string, port: number): Promise<Listening> {
  const domain = hostDomain(node)
  const form: AddressForm = domain === undefined ? {} : { hostDomain: domain, ownLabels: coreLabels(node) }
  const client = createHttpHandler(node, methods, form, pages)
  // Platform routes go through hono. Account routes, which are most calls, bypass it: the adapter and the context cost 8 to 10 µs
  // per request, a third of a bare route.
  const app = new Hono<{ Bindings: HttpBindings }>({ getPath: () => '/' })
  const addresses = new WeakMap<IncomingMessage, Address>()
  app.all('*', async (c) => {
    const { incoming, outgoing } = c.env
    const address = addresses.get(incoming)
    if (address !== undefined && (address.kind === 'account' || pages.has(address.path))) return pages.fetch(c.req.raw, c.env)
    if (address !== undefined) await client.handle(incoming, outgoing, address)
    return RESPONSE_ALREADY_SENT
  })
  const forward = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    // The adapter is stricter about hosts than the grammar of HTTP.
    errorHandler: () => {
      const { headers, text } = refusal(node, malformed('The Host header is malformed.'))
      return new Response(text, { status: 400, headers })
    },
  })
  const latest = new WeakMap<Duplex, ServerResponse>()
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    latest.set(request.socket, response)
    // Pipelined requests are answered one at a time: Node assigns the socket to the responses in turn.
    if (response.socket === null) response.once('socket', () => serve(request, response))
    else serve(request, response)
  }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const address = client.admit(request, response)
    if (address === undefined) return
    if (address.kind === 'account') {
      if (domain === undefined || !pages.isOnAccountHost(address.path)) return void client.handle(request, response, address)
    } else if (realtime.has(address.path)) return realtime.request(request, response)
    else if (commands?.has(address.path) === true) return commands.request(request, response, address)
    addresses.set(request, address)
    void forward(request, response)
  }
  const secure = certificates === undefined ? undefined : await (await import('./secure.js')).openSecure(certificates, SERVER_OPTIONS, onRequest)
  const server: Server = secure?.server ?? createServer(SERVER_OPTIONS, onRequest)
  // With TLS, requests arrive on the encrypted connection, not on the underlying one.
  const comes = secure === undefined ? 'connection' : 'secureConnection'
  const sockets = new Set<Socket>()
  server.on(comes, (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  refuseMalformed(node, server, latest)
  secure?.onPlain((socket) => endWith(node, socket, '400 Bad Request', malformed('This port requires HTTPS: use an address that starts with https://.')))
  enforceMinBodyRate(server)
  receiveOn(server, comes, node.answerBudget, { ...READING_PACE, timeoutMs: node.config.get('limits.answers.timeoutMs') })
  const upgraded = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebsocket(request)) return serveWithoutUpgrade(server, request, socket, head, comes)
    upgraded.add(socket)
    socket.on('close', () => upgraded.delete(socket))
    socket.on('error', () => socket.destroy())
    try {
      const { kind, path } = addressOf(request, form)
      if (kind === 'platform' && realtime.has(path)) return realtime.upgrade(request, socket, head)
      if (kind === 'platform' && sync?.has(path) === true) return sync.upgrade(request, socket, head)
      throw malformed('There is no websocket at this address.')
    } catch (error) {
      endWith(node, socket, '400 Bad Request', asFailure(node, 'upgrade', error))
    }
  })
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => {
      secure?.stop(sockets)
      reject(error)
    }
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed)
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  return {
    host,
    port: address.port,
    server,
    async stop(withinMs) {
      sync?.stop()
      secure?.stop(sockets)
      const waiting = new Set([...sockets].filter((socket) => !upgraded.has(socket)))
      const ended = realtime.stop(withinMs).then(() => {
        // Clients need not confirm the end of a websocket.
        for (const socket of upgraded) socket.destroy()
      })
      await Promise.all([ended, stop(server, withinMs, waiting, latest)])
    },
  }
}

/** Returns the labels of the cores: this one, and those of the registry, which may change while the node runs. */
function coreLabels({ config, registry }: Node): NonNullable<AddressForm['ownLabels']> {
  const own = ownLabels(config)
  return { has: (label) => own.has(label) || registry.cores.get(label) !== undefined }
}

const malformed = (message: string): Failure => new Failure('invalid-request-structure', message)

/** Returns headers and body of an answer outside of the request handler, which closes the connection. */
function refusal(node: Node, failure: Failure): { headers: [string, string][]; text: string } {
  const text = `{"error":${JSON.stringify(failure)},"meta":${metaOf(node)}}`
  const flat = headersOf(node, {})
  flat.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(text)))
  flat.push('Connection', 'close')
  const headers = flat.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []))
  return { headers, text }
}

/**
 * Answers requests that Node's parser or the adapter rejects like other malformed ones: in order, after earlier requests on the
 * same connection. `latest` holds the response to the latest request of each connection.
 */
function refuseMalformed(node: Node, server: Server, latest: WeakMap<Duplex, ServerResponse>): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const large = error.code === 'HPE_HEADER_OVERFLOW'
    const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    const failure = malformed(large ? 'The headers are too large.' : slow ? 'The request arrived too slowly.' : 'Not valid HTTP.')
    const status = large ? '431 Request Header Fields Too Large' : slow ? '408 Request Timeout' : '400 Bad Request'
    const refuse = (): void => endWith(node, socket, status, failure)
    const response = latest.get(socket)
    if (response === undefined || response.writableFinished) refuse()
    else if (response.req.complete) response.once('close', refuse)
    // The body of this request is malformed: its reader would wait for the end.
    else if (!response.headersSent) {
      sendFailure(node, response.req, response, failure)
      // No more of it can be read, or is waited for.
      response.end()
      if (slow) linger(socket)
    }
    else response.once('close', () => socket.destroy())
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endWith(node, socket, '400 Bad Request', malformed('This server is not a proxy.'))
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response)
    sendFailure(node, request, response, malformed('The value of the Expect header is not supported.'))
  })
}

/** Time for a rejected client to read the answer. Without a limit, an idle client would hold its connection forever. */
const LINGER_MS = 1000

/** Answers on the raw connection, and closes it. */
function endWith(node: Node, socket: Duplex, status: string, failure: Failure): void {
  if (!socket.writable) return void socket.destroy()
  const { headers, text } = refusal(node, failure)
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status}`, ...lines, '', text].join('\r\n'))
  linger(socket)
}

/** Destroys a connection after its client had time to read. */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => void socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}

const SWEEP_MS = 20

function stop(
  server: Server,
  withinMs: number,
  sockets: ReadonlySet<Socket>,
  latest: WeakMap<Duplex, ServerResponse>,
): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), withinMs)
    // A response started with keep-alive leaves its connection open.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    server.close(() => {
      clearTimeout(deadline)
      clearInterval(sweep)
      resolve()
    })
    for (const socket of sockets) {
      const response = latest.get(socket)
      // Node does not count a connection without any request as idle.
      if (response === undefined || response.writableFinished) socket.destroy()
      else if (!response.headersSent) response.setHeader('Connection', 'close')
    }
  })
}
