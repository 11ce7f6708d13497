/** Handles upgrade requests: websockets go to their handler; others are answered as if they had not requested an upgrade. */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Checks whether an upgrade request is for a websocket. */
export const isWebsocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Serves a request in HTTP/1.1 despite an upgrade header, such as for HTTP/2, which clients send with any request. Node has
 * detached the connection by then, so that it is handed in again, with the request head without that header.
 * @param comes the event of new connections of the server
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer, comes: 'connection' | 'secureConnection'): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i] ?? ''}: ${rawHeaders[i + 1] ?? ''}`)
  }
  socket.unshift(Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'), rest]))
  server.emit(comes, socket)
  socket.resume()
}
