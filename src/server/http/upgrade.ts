/** Requests to speak another protocol: websockets go to their door; others are answered as if they had not asked. */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Whether an upgrade is one to websockets. */
export const isWebsocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Serves a request in HTTP/1.1 although it asked for more, such as HTTP/2: clients send that with requests of any kind,
 * and expect an answer. Node has taken the connection out of its hands by then, so it is handed in again, with the head
 * of the request as it was but for the header.
 * @param comes the event by which the server gets its connections
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
