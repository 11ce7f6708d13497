/** The server of HTTPS below the door, whose certificate follows its files. */
import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Certificates } from '../tls/certificate.js'
import type { Pair } from '../tls/pair.js'

export interface SecureServer {
  server: Server
  /** What becomes of a connection whose client speaks plain HTTP; without it, it is ended. */
  onPlain(answer: (bare: Socket) => void): void
  /** Follows the files no more, and ends connections that are not among those that came to be encrypted. */
  stop(encrypted: ReadonlySet<Socket>): void
}

/** How long a client may take until its connection is encrypted. */
const HANDSHAKE_MS = 20_000

/** Makes it; it does not listen yet. @throws CertificateProblem */
export async function openSecure(certificates: Certificates, options: ServerOptions, onRequest: RequestListener): Promise<SecureServer> {
  const server = createServer({ ...options, ...contextOf(await certificates.load()), handshakeTimeout: HANDSHAKE_MS }, onRequest)
  const unfollow = certificates.follow((pair) => server.setSecureContext(contextOf(pair)))
  /** By peer. */
  const bare = new Map<string, Socket>()
  let answerPlain: ((bare: Socket) => void) | undefined
  // Node would take a connection that never came to be encrypted for a client whose HTTP is not well formed.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (error: Error & { code?: string }, socket: Socket) => {
    const below = bare.get(peerOf(socket))
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && below?.writable === true) answerPlain?.(below)
    socket.destroy()
  })
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    bare.set(peer, socket)
    // The peer may have come back by then.
    socket.on('close', () => void (bare.get(peer) === socket && bare.delete(peer)))
  })
  return {
    server,
    onPlain(answer) {
      answerPlain = answer
    },
    stop(encrypted) {
      unfollow()
      // Node knows no request of those that are not encrypted yet, and would wait for them.
      const known = new Set([...encrypted].map(peerOf))
      for (const [peer, socket] of bare) if (!known.has(peer)) socket.destroy()
    },
  }
}

const contextOf = ({ cert, key }: Pair): { cert: string; key: string } => ({ cert, key: key.reveal() })

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
