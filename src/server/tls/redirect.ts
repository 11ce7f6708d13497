/** Second port with plain HTTP: redirects clients to HTTPS, and responds to ACME challenges. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Redirect {
  port: number
  stop(): Promise<void>
}

/** Format of a host name or IP address in a Host header, without port. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]+\])$/i

const OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 1000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
}

interface RedirectOptions {
  /** Public HTTPS port. */
  httpsPort: number
  /** Returns the key authorization for an ACME challenge token. */
  answerTo(token: string): string | undefined
}

/** Path of ACME challenges (RFC 8555, 8.3); a token is base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]+)$/

/** Starts to listen. Rejects when the port is unavailable. */
export async function listenRedirect(host: string, port: number, { httpsPort, answerTo }: RedirectOptions): Promise<Redirect> {
  const server = createServer(OPTIONS, (request, response) => {
    const name = (request.headers.host ?? '').replace(/:\d*$/, '')
    const { url = '/' } = request
    response.setHeader('Connection', 'close')
    const token = CHALLENGE.exec(url)?.[1]
    const answer = token === undefined ? undefined : answerTo(token)
    if (answer !== undefined) return end(response, 200, answer)
    if (!HOST.test(name) || !url.startsWith('/')) return end(response, 400, 'This port only redirects to HTTPS.\n')
    const place = httpsPort === 443 ? '' : `:${httpsPort}`
    // 308 preserves method and body.
    response.setHeader('Location', `https://${name}${place}${url}`)
    return end(response, 308, 'Use HTTPS.\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': text.length })
  response.end(text)
}
