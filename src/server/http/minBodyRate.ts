/**
 * Minimum transfer rate of request bodies. Allows large bodies on slow lines, but closes connections of clients that send single
 * bytes to keep them open.
 */
import type { IncomingMessage, Server } from 'node:http'

interface BodyRate {
  /** Time allowed for any body. */
  graceMs: number
  /** Minimum average rate after that time, from the beginning of the body. */
  minBytesPerSecond: number
  /** Interval of the checks. */
  everyMs: number
}

/** Satisfied by a line of 32 kbit/s. */
const DEFAULT_RATE: BodyRate = { graceMs: 300_000, minBytesPerSecond: 4000, everyMs: 5000 }

/** Rejects requests that are too slow, like malformed ones. */
export function enforceMinBodyRate(server: Server, { graceMs, minBytesPerSecond, everyMs }: BodyRate = DEFAULT_RATE): void {
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
      server.emit('clientError', Object.assign(new Error('The body arrives too slowly.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    }
  }, everyMs)
  timer.unref()
  server.on('close', () => clearInterval(timer))
}
