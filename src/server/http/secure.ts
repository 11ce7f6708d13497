/** The HTTPS server, which reloads its certificate when the files change. */
import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Certificates } from '../tls/certificate.js'
import type { Pair } from '../tls/pair.js'

interface SecureServer {
  server: Server
  /** Sets the handler of connections with plain HTTP; without it, they are closed. */
  onPlain(answer: (bare: Socket) => void): void
  /** Stops following the files, and closes connections that are not among the encrypted ones. */
  stop(encrypted: ReadonlySet<Socket>): void
}

/** Time limit of the TLS handshake. */
const HANDSHAKE_MS = 20_000

/** Creates the server without listening. @throws CertificateProblem */
export async function openSecure(certificates: Certificates, options: ServerOptions, onRequest: RequestListener): Promise<SecureServer> {
  const server = createServer({ ...options, ...contextOf(await certificates.load()), handshakeTimeout: HANDSHAKE_MS }, onRequest)
  const unfollow = certificates.follow((pair) => server.setSecureContext(contextOf(pair)))
  /** Raw connections by peer. */
  const bare = new Map<string, Socket>()
  let answerPlain: ((bare: Socket) => void) | undefined
  // By default, Node treats a failed handshake as malformed HTTP.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (error: Error & { code?: string }, socket: Socket) => {
    const below = bare.get(peerOf(socket))
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && below?.writable === true) answerPlain?.(below)
    socket.destroy()
  })
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    bare.set(peer, socket)
    // The peer may have reconnected by then.
    socket.on('close', () => void (bare.get(peer) === socket && bare.delete(peer)))
  })
  return {
    server,
    onPlain(answer) {
      answerPlain = answer
    },
    stop(encrypted) {
      unfollow()
      // Node knows no request of connections before the handshake, and would wait for them.
      const known = new Set([...encrypted].map(peerOf))
      for (const [peer, socket] of bare) if (!known.has(peer)) socket.destroy()
    },
  }
}

const contextOf = ({ cert, key }: Pair): { cert: string; key: string } => ({ cert, key: key.reveal() })

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
