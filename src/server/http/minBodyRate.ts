/**
 * Bodies that come too slowly. A body may take as long as its size asks for on a slow line; a client that sends a byte now
 * and then, to hold its connection for good, may not.
 */
import type { IncomingMessage, Server } from 'node:http'

export interface BodyRate {
  /** How long any body may take. */
  graceMs: number
  /** What one that takes longer must bring on average from its beginning on. */
  minBytesPerSecond: number
  /** How often that is looked at. */
  everyMs: number
}

/** A line of 32 kbit/s keeps it. */
const PACE: BodyRate = { graceMs: 300_000, minBytesPerSecond: 4000, everyMs: 5000 }

/** Has requests that fall behind refused, as those that are malformed are. */
export function enforceMinBodyRate(server: Server, { graceMs, minBytesPerSecond, everyMs }: BodyRate = PACE): void {
  const coming = new Map<IncomingMessage, { began: number; before: number }>()
  server.on('request', (request: IncomingMessage) => {
    const { headers } = request
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    coming.set(request, { began: performance.now(), before: request.socket.bytesRead })
    request.once('close', () => coming.delete(request))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [request, { began, before }] of coming) {
      const took = now - began
      if (request.complete || took < graceMs) continue
      const { socket } = request
      if (socket.bytesRead - before >= (took / 1000) * minBytesPerSecond) continue
      coming.delete(request)
      server.emit('clientError', Object.assign(new Error('The body comes too slowly.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    }
  }, everyMs)
  timer.unref()
  server.on('close', () => clearInterval(timer))
}
